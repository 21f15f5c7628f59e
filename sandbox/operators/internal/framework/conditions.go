package framework

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition is one entry of status.conditions, without its times.
type Condition struct{ Type, Status, Reason, Message string }

// Style is which times an API keeps in its conditions.
type Style int

const (
	// Plain conditions have lastTransitionTime (operator.openshift.io and metav1).
	Plain Style = iota
	// Heartbeats are openshift/custom-resource-status: lastHeartbeatTime too. The real operators move the
	// heartbeat at every reconcile; here it moves with any change, so that a quiet cluster stays quiet.
	Heartbeats
	// Observed conditions carry the generation they were computed for (metav1 of HCO).
	Observed
)

// SetConditions writes conds into status.conditions of obj, keeps the others, and moves lastTransitionTime only where
// the status changes.
func SetConditions(obj *unstructured.Unstructured, s Style, conds ...Condition) {
	old, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, c := range conds {
		old = withCondition(old, s, obj.GetGeneration(), c)
	}
	Set(obj, old, "status", "conditions")
}

// OnlyCondition makes c the one condition of obj.
func OnlyCondition(obj *unstructured.Unstructured, s Style, c Condition) {
	old, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	var kept []any
	for _, o := range old {
		if m, ok := o.(map[string]any); ok && m["type"] == c.Type {
			kept = append(kept, m)
		}
	}
	Set(obj, withCondition(kept, s, obj.GetGeneration(), c), "status", "conditions")
}

func withCondition(list []any, s Style, generation int64, c Condition) []any {
	now := time.Now().UTC().Format(time.RFC3339)
	entry := map[string]any{"type": c.Type, "status": c.Status, "reason": c.Reason, "message": c.Message}
	if c.Reason == "" {
		delete(entry, "reason")
	}
	entry["lastTransitionTime"] = now
	switch s {
	case Heartbeats:
		entry["lastHeartbeatTime"] = now
	case Observed:
		entry["observedGeneration"] = generation
	}
	for i, o := range list {
		m, ok := o.(map[string]any)
		if !ok || m["type"] != c.Type {
			continue
		}
		if m["status"] == c.Status {
			if t, ok := m["lastTransitionTime"]; ok {
				entry["lastTransitionTime"] = t
			}
			if m["reason"] == entry["reason"] && m["message"] == entry["message"] && s == Heartbeats {
				return list
			}
		}
		list[i] = entry
		return list
	}
	return append(list, entry)
}

// ConditionIs tells whether status.conditions of obj has the type with this status.
func ConditionIs(obj *unstructured.Unstructured, kind, status string) bool {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, o := range list {
		if m, ok := o.(map[string]any); ok && m["type"] == kind {
			return m["status"] == status
		}
	}
	return false
}
