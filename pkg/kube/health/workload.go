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

// replicaFailureGrace is how long pods that cannot be created are no final failure: a new namespace gets its service
// accounts and its range of user IDs a moment later, and the controllers try again.
const replicaFailureGrace = time.Minute

// counts are the numbers of pods of a workload.
type counts struct{ wanted, current, updated, available, ready int64 }

func countsOf(u *unstructured.Unstructured) counts {
	if u.GetKind() == "DaemonSet" {
		return counts{wanted: kube.Number(u, "status", "desiredNumberScheduled"),
			current:   kube.Number(u, "status", "currentNumberScheduled"),
			updated:   kube.Number(u, "status", "updatedNumberScheduled"),
			available: kube.Number(u, "status", "numberAvailable"), ready: kube.Number(u, "status", "numberReady")}
	}
	wanted, given, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	if !given {
		wanted = 1
	}
	return counts{wanted: wanted, current: kube.Number(u, "status", "replicas"),
		updated:   kube.Number(u, "status", "updatedReplicas"),
		available: kube.Number(u, "status", "availableReplicas"), ready: kube.Number(u, "status", "readyReplicas")}
}

// judgeWorkload judges a Deployment, ReplicaSet, DaemonSet or StatefulSet. v is what kstatus says.
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
		return v.with(step.StateBroken, c.Reason, "%s", c.Describe()).inTrouble()
	}
	n := countsOf(u)
	onDelete := kube.Text(u, "spec", "updateStrategy", "type") == "OnDelete"
	switch failed := kube.FindCondition(conditions, string(appsv1.DeploymentReplicaFailure)); {
	case v.OK() && onDelete && n.ready < n.wanted:
		// kstatus leaves a StatefulSet whose pods its user deletes to the user.
		return v.with(step.StatePending, "LessReady", "%s", n.describe())
	case v.OK():
		return v
	case failed.True():
		return judgeReplicaFailure(failed, v, f.now)
	case kube.Flag(u, "spec", "paused"):
		return v.with(step.StatePending, "DeploymentPaused", "%s",
			strings.TrimPrefix(n.describe()+", and its roll-out is paused: spec.paused is true", ", and "))
	case onDelete && n.ready >= n.wanted:
		return v.with(step.StatePending, v.Reason, "%s: with updateStrategy OnDelete, a pod is updated once somebody "+
			"deletes it", n.describe())
	}
	if partition := kube.Number(u, "spec", "updateStrategy", "rollingUpdate", "partition"); partition > 0 &&
		n.ready >= n.wanted {
		n.wanted = max(0, n.wanted-partition)
	}
	if text := n.describe(); text != "" {
		v.Message = text
	}
	return v
}

// judgeReplicaFailure judges a workload whose pods cannot be created: the message is the API server's.
func judgeReplicaFailure(c kube.Condition, v Verdict, now time.Time) Verdict {
	if left := replicaFailureGrace - now.Sub(c.LastTransitionTime); left > 0 || now.IsZero() {
		v.Recheck = left
		return v.with(step.StatePending, c.Reason, "%s", c.Describe()).inTrouble()
	}
	return v.with(step.StateBroken, c.Reason, "%s", c.Describe()).inTrouble()
}

// describe says which pods are lacking; empty if none is.
func (n counts) describe() string {
	switch {
	case n.ready < n.wanted:
		return fmt.Sprintf("%d of %d pods are ready", n.ready, n.wanted)
	case n.updated < n.wanted:
		return fmt.Sprintf("%d of %d pods are updated", n.updated, n.wanted)
	case n.current > n.wanted:
		return fmt.Sprintf("%d of %d pods are to end", n.current-n.wanted, n.current)
	case n.available < n.wanted:
		return fmt.Sprintf("%d of %d pods are available", n.available, n.wanted)
	}
	return ""
}

// judgeJob judges a Job: it is well once it has completed.
func judgeJob(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = hint.New("oc describe job %s -n %s", u.GetName(), u.GetNamespace())
	conditions := kube.Conditions(u)
	// FailureTarget comes first: the Job has failed, and its pods are being ended.
	for _, t := range []string{"Failed", "FailureTarget"} {
		if c := kube.FindCondition(conditions, t); c.True() {
			return v.with(step.StateBroken, c.Reason, "%s", c.Describe())
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
