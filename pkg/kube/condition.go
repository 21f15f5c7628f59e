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
	// Doubt is the reason why the condition is not reliable, "" if it is current.
	Doubt Doubt
}

// Doubt is the reason why a condition is not reliable, as text for the user.
type Doubt string

const (
	// Outdated marks a condition of an older generation of its object.
	Outdated Doubt = "of before the newest change, which its operator has not processed"
	// Left marks a condition that contradicts the phase, or that a failed reconcile has not updated.
	Left Doubt = "of an earlier attempt of its operator"
)

// settleDelay is the time that an operator has to observe a change of its object.
const settleDelay = time.Minute

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

// Conditions reads status.conditions of any object and sets Doubt where a condition is not reliable.
func Conditions(u *unstructured.Unstructured) []Condition {
	return ConditionsAt(u, "status", "conditions")
}

// ConditionsAt is Conditions for another path.
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
	markStale(u, out)
	if observed, found := observedIn(u); found {
		return Doubted(u, observed, out)
	}
	return Doubted(u, u.GetGeneration(), out)
}

// ConditionsOf is Conditions for an object of a Go type.
func ConditionsOf(o metav1.Object, conditions []metav1.Condition) []Condition {
	out := make([]Condition, 0, len(conditions))
	for _, c := range conditions {
		out = append(out, Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time})
	}
	return Doubted(o, o.GetGeneration(), out)
}

// ConditionOf returns one condition of an object of a Go type. If it does not exist, only Type is set.
func ConditionOf(o metav1.Object, conditions []metav1.Condition, conditionType string) Condition {
	return FindCondition(ConditionsOf(o, conditions), conditionType)
}

// Doubted sets Doubt on the conditions of an older generation and returns them. It compares the object's generation
// with that of each condition and with observed, that of the status.
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

// markStale marks the conditions that an operator did not update when its last reconcile failed. A failed reconcile
// updates only ReconcileComplete; the other conditions become Unknown or keep their values
// (hyperconverged-cluster-operator 1.8 to 1.20, ocs-operator 4.12 to 5.1).
//
// While ocs-operator waits for something, such as ocs-provider-server, it updates only the phase. So a
// ReconcileComplete error with a phase other than Error is stale. The one exception is the error that it skipped
// StorageClasses, which comes with phase Progressing.
func markStale(u *unstructured.Unstructured, conditions []Condition) {
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

// Observed reports whether the status belongs to the object's current generation. It is true for operators that report
// no generation in status or conditions.
func Observed(u *unstructured.Unstructured) bool {
	if observed, found := observedIn(u); found {
		return observed >= generationOf(u)
	}
	return ObservedBy(u, Conditions(u))
}

// ObservedBy reports whether one of the conditions has the object's current generation, or none has a generation.
func ObservedBy(o metav1.Object, conditions []Condition) bool {
	newest := int64(0)
	for _, c := range conditions {
		newest = max(newest, c.ObservedGeneration)
	}
	return newest == 0 || newest >= generationOf(o)
}

// generationOf returns the generation that an up-to-date status has. The API server increments the generation on
// deletion, which no operator reports in the status.
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

// Unsettled returns how long the status of an object must not be trusted yet: the object changed after the status was
// written, less than a minute before now, so the operator may not have observed the change. It is for operators that
// report no generation. A status that does not change keeps its timestamp, so the timestamp alone is not enough.
func Unsettled(o metav1.Object, written, now time.Time) time.Duration {
	at := changedAt(o)
	if !at.After(written) {
		return 0
	}
	return max(0, settleDelay-now.Sub(at))
}

// changedAt returns the time of the last change of the spec, from the managed fields; zero if unknown.
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
