package mce

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// report collects the entries of status.components, and whether anything is still missing.
type report struct {
	components []any
	// failures are the conditions of objects that could not be applied.
	failures []framework.Condition
	ready    bool
	wait     time.Duration
}

func (r *report) add(name, kind, status, reason, message string) {
	r.entry(name, kind, metav1.Condition{Type: "Available", Status: metav1.ConditionStatus(status), Reason: reason,
		Message: message}, status == "True")
}

// deployment adds the Deployment's condition with the newest transition, which is often True while pods are missing.
// One that is available has a message of its own from 2.6 on, and none before.
func (r *report) deployment(d *appsv1.Deployment, version string) {
	last := appsv1.DeploymentCondition{Type: "Unknown", Status: corev1.ConditionUnknown, Reason: "No conditions available",
		Message: "No conditions available"}
	unavailable := len(d.Status.Conditions) == 0
	for i, c := range d.Status.Conditions {
		if i == 0 || !c.LastTransitionTime.Before(&last.LastTransitionTime) {
			last = c
		}
		unavailable = unavailable || c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionFalse
	}
	ready := !unavailable && d.Status.UnavailableReplicas == 0
	if ready {
		last.Message = ""
		if framework.AtLeast(version, "2.6") {
			last.Message = "Deployment is available"
		}
	}
	r.entry(d.Name, "Deployment", metav1.Condition{Type: string(last.Type), Status: metav1.ConditionStatus(last.Status),
		Reason: last.Reason, Message: last.Message}, ready)
}

// present adds an object without a status.
func (r *report) present(name, kind string) {
	r.entry(name, kind, metav1.Condition{Type: "Present", Status: metav1.ConditionTrue, Reason: "ComponentsDeployed"},
		true)
}

// failed notes an object that the API server does not take.
func (r *report) failed(name, kind string, err error) {
	r.ready = false
	r.failures = append(r.failures, framework.Condition{Type: fmt.Sprintf("ComponentFailure: %s (Kind:%s)", name, kind),
		Status: "True", Reason: "FailedApplyingComponent", Message: err.Error()})
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
