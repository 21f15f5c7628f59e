package mce

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// report collects the entries of status.components, and whether anything is still missing.
type report struct {
	components []any
	ready      bool
	wait       time.Duration
}

func (r *report) add(name, kind, status, reason, message string) {
	r.entry(name, kind, metav1.Condition{Type: "Available", Status: metav1.ConditionStatus(status), Reason: reason,
		Message: message}, status == "True")
}

// entry adds one with a type of its own.
func (r *report) entry(name, kind string, c metav1.Condition, ready bool) {
	r.components = append(r.components, map[string]any{
		"name": name, "kind": kind, "type": c.Type, "status": string(c.Status), "reason": c.Reason, "message": c.Message,
	})
	r.ready = r.ready && ready
}

// copied adds one that repeats the last condition of an object, or says that it has none.
func (r *report) copied(name, kind string, conditions []metav1.Condition) {
	last := metav1.Condition{Type: "Unknown", Status: metav1.ConditionUnknown, Reason: "No conditions available",
		Message: "No conditions available"}
	if len(conditions) > 0 {
		last = conditions[len(conditions)-1]
	}
	r.entry(name, kind, last, false)
}

func (r *report) later(wait time.Duration) {
	r.ready = false
	if r.wait == 0 || wait < r.wait {
		r.wait = wait
	}
}
