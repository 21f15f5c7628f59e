package operators

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition is one entry of status.conditions, without its times.
type condition struct{ Type, Status, Reason, Message string }

// style is which times an API keeps in its conditions.
type style int

const (
	// plain conditions have lastTransitionTime (operator.openshift.io and metav1).
	plain style = iota
	// heartbeats are openshift/custom-resource-status: lastHeartbeatTime too. The real operators move the
	// heartbeat at every reconcile; here it moves with any change, so that a quiet cluster stays quiet.
	heartbeats
	// observed conditions carry the generation they were computed for (metav1 of HCO).
	observed
)

// setConditions writes conds into status.conditions of obj, keeps the others, and moves lastTransitionTime only where
// the status changes.
func setConditions(obj *unstructured.Unstructured, s style, conds ...condition) {
	old, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, c := range conds {
		old = withCondition(old, s, obj.GetGeneration(), c)
	}
	set(obj, old, "status", "conditions")
}

// onlyCondition makes c the one condition of obj.
func onlyCondition(obj *unstructured.Unstructured, s style, c condition) {
	old, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	var kept []any
	for _, o := range old {
		if m, ok := o.(map[string]any); ok && m["type"] == c.Type {
			kept = append(kept, m)
		}
	}
	set(obj, withCondition(kept, s, obj.GetGeneration(), c), "status", "conditions")
}

func withCondition(list []any, s style, generation int64, c condition) []any {
	now := time.Now().UTC().Format(time.RFC3339)
	entry := map[string]any{"type": c.Type, "status": c.Status, "reason": c.Reason, "message": c.Message}
	if c.Reason == "" {
		delete(entry, "reason")
	}
	entry["lastTransitionTime"] = now
	switch s {
	case heartbeats:
		entry["lastHeartbeatTime"] = now
	case observed:
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
			if m["reason"] == entry["reason"] && m["message"] == entry["message"] && s == heartbeats {
				return list
			}
		}
		list[i] = entry
		return list
	}
	return append(list, entry)
}

// conditionIs tells whether status.conditions of obj has the type with this status.
func conditionIs(obj *unstructured.Unstructured, kind, status string) bool {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, o := range list {
		if m, ok := o.(map[string]any); ok && m["type"] == kind {
			return m["status"] == status
		}
	}
	return false
}
