package framework

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition is one entry of status.conditions, without its times.
type Condition struct{ Type, Status, Reason, Message string }

// Style says which times an API has in its conditions.
type Style int

const (
	// Plain conditions have lastTransitionTime (operator.openshift.io and metav1).
	Plain Style = iota
	// Heartbeats is the style of openshift/custom-resource-status, with lastHeartbeatTime. The real operators write the
	// heartbeat at every reconcile; here it changes with the other fields only, so that an idle cluster has no writes.
	Heartbeats
	// Observed conditions have the observed generation (metav1 of HCO).
	Observed
)

// SetConditions writes conds to status.conditions of obj and keeps the others. lastTransitionTime changes only with the
// status.
func SetConditions(obj *unstructured.Unstructured, s Style, conds ...Condition) {
	old, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, c := range conds {
		old = withCondition(old, s, obj.GetGeneration(), c)
	}
	Set(obj, old, "status", "conditions")
}

// OnlyCondition makes c the only condition of obj.
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

// ConditionIs reports whether status.conditions of obj has the type with this status.
func ConditionIs(obj *unstructured.Unstructured, kind, status string) bool {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, o := range list {
		if m, ok := o.(map[string]any); ok && m["type"] == kind {
			return m["status"] == status
		}
	}
	return false
}
