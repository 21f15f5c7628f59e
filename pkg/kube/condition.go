package kube

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition has the fields that the conditions of all operators share.
type Condition struct {
	Type               string
	Status             string
	Reason             string
	Message            string
	ObservedGeneration int64
	LastTransitionTime time.Time
	// Doubt says why the condition is not to be believed. It is empty for one that is current.
	Doubt Doubt
}

// Doubt is why a condition is not believed, in words for a user.
type Doubt string

const (
	// Outdated is a condition of an older generation of its object.
	Outdated Doubt = "of before the newest change, which its operator has not processed"
	// Left is a condition that contradicts the phase, or that an attempt which failed has not written anew.
	Left Doubt = "of an earlier attempt of its operator"
)

// settle is how long an operator may take to look at a change of its object.
const settle = time.Minute

// True reports whether the condition exists, is True and is current.
func (c Condition) True() bool { return c.Status == "True" && c.Doubt == "" }

// False reports whether the condition exists, is False and is current.
func (c Condition) False() bool { return c.Status == "False" && c.Doubt == "" }

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
	if c.Doubt != "" {
		s += " (" + string(c.Doubt) + ")"
	}
	return s
}

// Conditions reads status.conditions of any object, each with why it is not to be believed.
func Conditions(u *unstructured.Unstructured) []Condition {
	return ConditionsAt(u, "status", "conditions")
}

// ConditionsAt does so at another path.
func ConditionsAt(u *unstructured.Unstructured, path ...string) []Condition {
	found, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
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
	markLeft(u, out)
	if observed, found := observedIn(u); found {
		return Doubted(u, observed, out)
	}
	return Doubted(u, u.GetGeneration(), out)
}

// ConditionsOf does the same for an object of a Go type.
func ConditionsOf(o metav1.Object, conditions []metav1.Condition) []Condition {
	out := make([]Condition, 0, len(conditions))
	for _, c := range conditions {
		out = append(out, Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time})
	}
	return Doubted(o, o.GetGeneration(), out)
}

// ConditionOf is the condition of the type of an object of a Go type. If there is none, only Type is set.
func ConditionOf(o metav1.Object, conditions []metav1.Condition, conditionType string) Condition {
	return FindCondition(ConditionsOf(o, conditions), conditionType)
}

// Doubted marks the conditions of an older generation: by their own, or by that of the status.
func Doubted(o metav1.Object, observed int64, conditions []Condition) []Condition {
	wanted := generationOf(o)
	for i := range conditions {
		c := &conditions[i]
		if observed < wanted || c.ObservedGeneration != 0 && c.ObservedGeneration < wanted {
			c.Doubt = Outdated
		}
	}
	return conditions
}

// markLeft marks what an operator left standing when its last attempt to reconcile failed. That changes
// ReconcileComplete alone; the others are Unknown, or what they were (hyperconverged-cluster-operator 1.8 to 1.20,
// ocs-operator 4.12 to 5.1). While ocs-operator waits for something, such as ocs-provider-server, it writes the phase
// alone, so that an error that it got over stands beside another phase than Error; that it skipped StorageClasses is
// the one error of phase Progressing.
func markLeft(u *unstructured.Unstructured, conditions []Condition) {
	kind := u.GroupVersionKind().GroupKind()
	if kind != StorageCluster.GroupKind() && kind != HyperConverged.GroupKind() {
		return
	}
	failed := slices.IndexFunc(conditions, func(c Condition) bool {
		return c.Type == "ReconcileComplete" && c.False() && c.Reason == "ReconcileFailed"
	})
	if failed < 0 {
		return
	}
	for i := range conditions {
		if slices.Contains([]string{ConditionAvailable, ConditionProgressing, ConditionDegraded, "Upgradeable"},
			conditions[i].Type) {
			conditions[i].Doubt = Left
		}
	}
	if kind == StorageCluster.GroupKind() && Text(u, "status", "phase") != "Error" &&
		!strings.Contains(conditions[failed].Message, "were skipped while waiting for pre-requisites") {
		conditions[failed].Doubt = Left
	}
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

// Observed reports whether the status is that of the object's current generation. It is true for operators that report
// no generation, in status or conditions.
func Observed(u *unstructured.Unstructured) bool {
	if observed, found := observedIn(u); found {
		return observed >= generationOf(u)
	}
	return ObservedBy(u, Conditions(u))
}

// ObservedBy reports whether one of the conditions is of the object's current generation, or none has a generation.
func ObservedBy(o metav1.Object, conditions []Condition) bool {
	newest := int64(0)
	for _, c := range conditions {
		newest = max(newest, c.ObservedGeneration)
	}
	return newest == 0 || newest >= generationOf(o)
}

// generationOf is the generation that a status has to be of. The API server counts a deletion as a change, which no
// operator reports on as such.
func generationOf(o metav1.Object) int64 {
	if o.GetDeletionTimestamp() != nil {
		return o.GetGeneration() - 1
	}
	return o.GetGeneration()
}

func observedIn(u *unstructured.Unstructured) (int64, bool) {
	observed, found, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return observed, found
}

// Unsettled is how long what an operator wrote about an object is not final: the object has changed since, so shortly
// before now that the operator may not have looked at it. It is for operators that report no generation. A status that
// stays the same keeps its time, so that time alone does not say more.
func Unsettled(o metav1.Object, written, now time.Time) time.Duration {
	at := changedAt(o)
	if !at.After(written) {
		return 0
	}
	return max(0, settle-now.Sub(at))
}

// changedAt is when the spec of an object was last changed, by its managed fields; zero where that is not known.
func changedAt(o metav1.Object) time.Time {
	var at time.Time
	for _, entry := range o.GetManagedFields() {
		if entry.Subresource == "" && entry.Time != nil && entry.FieldsV1 != nil && entry.Time.After(at) &&
			strings.Contains(entry.FieldsV1.GetRawString(), `"f:spec"`) {
			at = entry.Time.Time
		}
	}
	return at
}
