package kube

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
)

// Condition has the fields that the conditions of all operators share.
type Condition struct {
	Type               string
	Status             string
	Reason             string
	Message            string
	ObservedGeneration int64
	LastTransitionTime time.Time
}

// True reports whether the condition exists and is True.
func (c Condition) True() bool { return c.Status == "True" }

// False reports whether the condition exists and is False.
func (c Condition) False() bool { return c.Status == "False" }

// Describe returns the condition for a user: "Available False (HCODegraded): message".
func (c Condition) Describe() string {
	if c.Status == "" {
		return c.Type + " not reported yet"
	}
	s := c.Type + " " + c.Status
	if c.Reason != "" {
		s += " (" + c.Reason + ")"
	}
	if c.Message != "" {
		s += ": " + c.Message
	}
	return s
}

// Conditions reads status.conditions of any object.
func Conditions(u *unstructured.Unstructured) []Condition {
	found, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "conditions")
	list, _ := found.([]any)
	out := make([]Condition, 0, len(list))
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		c := Condition{Type: str(m, "type"), Status: str(m, "status"), Reason: str(m, "reason"), Message: str(m, "message")}
		c.ObservedGeneration, _, _ = unstructured.NestedInt64(m, "observedGeneration")
		c.LastTransitionTime, _ = time.Parse(time.RFC3339, str(m, "lastTransitionTime"))
		out = append(out, c)
	}
	return out
}

// FindCondition returns the condition of the type. If there is none, only Type is set.
func FindCondition(conditions []Condition, conditionType string) Condition {
	for _, c := range conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return Condition{Type: conditionType}
}

// Text returns the string at the path, or "" if there is none.
func Text(u *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(u.Object, path...)
	return s
}

// Number returns the whole number at the path, or 0 if there is none.
func Number(u *unstructured.Unstructured, path ...string) int64 {
	n, _, _ := unstructured.NestedInt64(u.Object, path...)
	return n
}

// Flag returns the boolean at the path, or false if there is none.
func Flag(u *unstructured.Unstructured, path ...string) bool {
	b, _, _ := unstructured.NestedBool(u.Object, path...)
	return b
}

// Has reports whether there is something at the path.
func Has(u *unstructured.Unstructured, path ...string) bool {
	_, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	return found && err == nil
}

// Texts returns the list of strings at the path, or nil if there is none.
func Texts(u *unstructured.Unstructured, path ...string) []string {
	l, _, _ := unstructured.NestedStringSlice(u.Object, path...)
	return l
}

// Maps returns the list of maps at the path, without items of another type.
func Maps(u *unstructured.Unstructured, path ...string) []map[string]any {
	list, _, _ := unstructured.NestedSlice(u.Object, path...)
	out := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Observed reports whether the status is that of the object's current generation. It is true for operators that report
// no status.observedGeneration.
func Observed(u *unstructured.Unstructured) bool {
	observed, found, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return !found || observed >= u.GetGeneration()
}

// readAs reads an object into a struct that has some of its fields. A field of a wrong type is an error.
func readAs(ctx context.Context, r Reader, k Kind, key client.ObjectKey, into any) error {
	u := k.New()
	if err := r.Get(ctx, key, u); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into)
}

// Name returns "namespace/name", or the name alone for a cluster-scoped object.
func Name(o client.Object) string { return object.Name(o) }

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
