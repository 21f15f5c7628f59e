package health

import (
	"fmt"
	"strings"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Verdict is what the status of an object says: a finding with StateOK, StatePending, StateBroken, or StateUnknown for
// an object that cannot be read as its kind. Broken with Trouble means that its controller has given up for now, and
// goes on once the cause is gone.
type Verdict struct {
	step.Finding
	// Reason is the word of the object's controller or of kstatus, such as "ProgressDeadlineExceeded".
	Reason string
}

// OK reports whether the object is well.
func (v Verdict) OK() bool { return v.State == step.StateOK }

// Judge judges an object of any kind at the API server's time now.
func Judge(u *unstructured.Unstructured, now time.Time) Verdict {
	v := compute(u)
	v.Object = u.GetKind() + " " + kube.Name(u)
	if v.State == step.StateUnknown || v.Reason == terminating {
		return v
	}
	var better Verdict
	switch u.GroupVersionKind().GroupKind() {
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}, schema.GroupKind{Group: "apps", Kind: "ReplicaSet"},
		schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, schema.GroupKind{Group: "apps", Kind: "StatefulSet"}:
		better = judgeWorkload(u, v, now)
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		better = judgeJob(u, v)
	case schema.GroupKind{Kind: "Pod"}:
		better = judgePod(u, v)
	case kube.CustomResourceDefinition.GroupKind():
		better = judgeDefinition(u, v)
	default:
		better = judgeConditions(u, v)
	}
	if better.OK() && !v.OK() {
		return v
	}
	return better
}

// Of judges a typed Deployment, DaemonSet, StatefulSet or Pod.
func Of(o client.Object, now time.Time) Verdict {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return Verdict{Finding: step.Unknown("%s", err).On("%s", kube.Name(o))}
	}
	u := &unstructured.Unstructured{Object: fields}
	switch o.(type) {
	case *appsv1.Deployment:
		u.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	case *appsv1.DaemonSet:
		u.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
	case *appsv1.StatefulSet:
		u.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("StatefulSet"))
	case *corev1.Pod:
		u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	}
	return Judge(u, now)
}

// terminating is the Reason of an object that is being deleted.
const terminating = "Terminating"

// compute is the verdict of kstatus, which panics on some objects that no API server of Kubernetes would take.
func compute(u *unstructured.Unstructured) (v Verdict) {
	defer func() {
		if recover() != nil {
			v = Verdict{Finding: step.Unknown("its status does not have the form of its kind")}
		}
	}()
	result, err := status.Compute(u)
	if err != nil {
		return Verdict{Finding: step.Unknown("its status cannot be read: %v", err)}
	}
	if len(result.Conditions) > 0 {
		v.Reason = result.Conditions[0].Reason
	}
	if result.Status != status.CurrentStatus {
		v.Message = strings.TrimSpace(result.Message)
	}
	switch result.Status {
	case status.CurrentStatus:
		v.State = step.StateOK
	case status.FailedStatus:
		v.State = step.StateBroken
	case status.TerminatingStatus:
		v.State, v.Reason, v.Message = step.StatePending, terminating, "it is being deleted"
	case status.InProgressStatus:
		v.State = step.StatePending
	case status.NotFoundStatus, status.UnknownStatus:
	}
	return v
}

// with returns the verdict in another state, with a reason and a sentence.
func (v Verdict) with(state step.State, reason, format string, args ...any) Verdict {
	v.State, v.Reason, v.Message, v.Trouble = state, reason, fmt.Sprintf(format, args...), false
	return v
}

// inTrouble marks a verdict as one that something is wrong and may recover.
func (v Verdict) inTrouble() Verdict {
	v.Trouble = true
	return v
}
