package health

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// replicaFailureGrace is the time in which a failed pod creation is not final: a new namespace gets its service
// accounts and its UID range a moment later, and the controllers retry.
const replicaFailureGrace = time.Minute

// lessReady is the Reason of an object with fewer pods or machines than wanted.
const lessReady = "LessReady"

// counts has the numbers of pods or machines. requested is the number in the object's spec, wanted that of the caller.
type counts struct{ wanted, requested, current, updated, available, ready int64 }

func countsOf(u *unstructured.Unstructured, f *facts) (n counts) {
	if u.GetKind() == "DaemonSet" {
		n = counts{requested: kube.Number(u, "status", "desiredNumberScheduled"),
			current:   kube.Number(u, "status", "currentNumberScheduled"),
			updated:   kube.Number(u, "status", "updatedNumberScheduled"),
			available: kube.Number(u, "status", "numberAvailable"), ready: kube.Number(u, "status", "numberReady")}
	} else {
		requested, given, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		if !given {
			requested = 1
		}
		n = counts{requested: requested, current: kube.Number(u, "status", "replicas"),
			updated:   max(kube.Number(u, "status", "updatedReplicas"), kube.Number(u, "status", "upToDateReplicas")),
			available: kube.Number(u, "status", "availableReplicas"), ready: kube.Number(u, "status", "readyReplicas")}
	}
	n.wanted = n.requested
	if f.wanted != nil {
		n.wanted = max(n.requested, *f.wanted)
	}
	return n
}

// judgeWorkload judges a Deployment, ReplicaSet, DaemonSet or StatefulSet. v is the verdict of kstatus.
func judgeWorkload(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	if v.State == step.StatePending {
		v.Hint = hint.New("oc get pods,events -n %s", u.GetNamespace())
	}
	_, observed, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if !observed || !kube.Observed(u) {
		return v.with(step.StatePending, "NotObserved", "its controller has not processed it yet")
	}
	conditions := kube.Conditions(u)
	if c := kube.FindCondition(conditions, string(appsv1.DeploymentProgressing)); c.Reason == "ProgressDeadlineExceeded" {
		v.Hint = hint.New("oc get pods,events -n %s", u.GetNamespace())
		return v.because(step.StateBroken, c).inTrouble()
	}
	n := countsOf(u, f)
	v.Since = kube.FindCondition(conditions, string(appsv1.DeploymentAvailable)).LastTransitionTime
	onDelete := kube.Text(u, "spec", "updateStrategy", "type") == "OnDelete"
	switch failed := kube.FindCondition(conditions, string(appsv1.DeploymentReplicaFailure)); {
	case n.requested < n.wanted && !failed.True():
		v.Hint = Describe(u)
		return v.with(step.StatePending, lessReady, "it is scaled to %d and %d are wanted: %s", n.requested, n.wanted,
			n.describe("pods")).inTrouble()
	case v.OK() && onDelete && n.ready < n.wanted:
		// kstatus reports a StatefulSet with OnDelete always as ready.
		return v.with(step.StatePending, lessReady, "%s", n.describe("pods"))
	case v.OK():
		return v
	case failed.True():
		return judgeReplicaFailure(failed, v, f.now)
	case kube.Flag(u, "spec", "paused"):
		return v.with(step.StatePending, "DeploymentPaused", "%s",
			strings.TrimPrefix(n.describe("pods")+", and its roll-out is paused: spec.paused is true", ", and "))
	case onDelete && n.ready >= n.wanted:
		return v.with(step.StatePending, v.Reason, "%s: with updateStrategy OnDelete, a pod is updated once somebody "+
			"deletes it", n.describe("pods"))
	}
	if partition := kube.Number(u, "spec", "updateStrategy", "rollingUpdate", "partition"); partition > 0 &&
		n.ready >= n.wanted {
		n.wanted = max(0, n.wanted-partition)
	}
	if text := n.describe("pods"); text != "" {
		v.Message = text
	}
	return v
}

// HyperShiftReplicas is the number of pods with which HyperShift's operator is installed.
const HyperShiftReplicas = 2

// ScaledToZero returns the finding for a Deployment that must have pods but is scaled to 0; nil if it is not.
func ScaledToZero(d *appsv1.Deployment, replicas int) *step.Finding {
	if d.Spec.Replicas == nil || *d.Spec.Replicas != 0 {
		return nil
	}
	f := step.Broken("it is scaled to 0").On("Deployment %s", kube.Name(d))
	f.Hint = hint.New("oc scale deployment/%s -n %s --replicas=%d", d.Name, d.Namespace, replicas)
	return &f
}

// judgeReplicaFailure judges a workload whose pods cannot be created. The message is that of the API server.
func judgeReplicaFailure(c kube.Condition, v Verdict, now time.Time) Verdict {
	if left := replicaFailureGrace - now.Sub(c.LastTransitionTime); left > 0 || now.IsZero() {
		v.Recheck = left
		return v.because(step.StatePending, c).inTrouble()
	}
	return v.because(step.StateBroken, c).inTrouble()
}

// describe returns the first lacking number, "" if none. what is the plural of the counted objects.
func (n counts) describe(what string) string {
	switch {
	case n.ready < n.wanted:
		return fmt.Sprintf("%d of %d %s are ready", n.ready, n.wanted, what)
	case n.updated < n.wanted:
		return fmt.Sprintf("%d of %d %s are updated", n.updated, n.wanted, what)
	case n.current > n.wanted:
		return fmt.Sprintf("%d of %d %s are to end", n.current-n.wanted, n.current, what)
	case n.available < n.wanted:
		return fmt.Sprintf("%d of %d %s are available", n.available, n.wanted, what)
	}
	return ""
}

// judgeJob judges a Job: it is healthy once it has completed.
func judgeJob(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = Describe(u)
	conditions := kube.Conditions(u)
	// FailureTarget precedes Failed in time: the Job has failed, and its pods are being terminated.
	for _, t := range []string{"Failed", "FailureTarget"} {
		if c := kube.FindCondition(conditions, t); c.True() {
			return v.because(step.StateBroken, c)
		}
	}
	if kube.FindCondition(conditions, "Complete").True() {
		return v
	}
	if kube.Flag(u, "spec", "suspend") {
		return v.with(step.StatePending, "JobSuspended", "it is suspended: spec.suspend is true").inTrouble()
	}
	wanted, given, _ := unstructured.NestedInt64(u.Object, "spec", "completions")
	if !given {
		wanted = 1
	}
	message := []string{fmt.Sprintf("it has not completed: %d of %d pods have succeeded",
		kube.Number(u, "status", "succeeded"), wanted)}
	if failed := kube.Number(u, "status", "failed"); failed > 0 {
		message = append(message, fmt.Sprintf("%d failed", failed))
	}
	return v.with(step.StatePending, "JobRunning", "%s", strings.Join(message, ", "))
}
