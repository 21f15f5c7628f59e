package health

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/step"
)

// PodReady reports whether the pod is ready.
func PodReady(pod *corev1.Pod) bool {
	_, ready := PodReadySince(pod)
	return ready
}

// PodReadySince returns since when the pod is ready.
func PodReadySince(pod *corev1.Pod) (since time.Time, ready bool) {
	if c := PodCondition(pod, corev1.PodReady); c.Status == corev1.ConditionTrue {
		return c.LastTransitionTime.Time, true
	}
	return time.Time{}, false
}

// PodCondition returns the pod's condition of a type, the zero one if it has none.
func PodCondition(pod *corev1.Pod, conditionType corev1.PodConditionType) corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == conditionType {
			return pod.Status.Conditions[i]
		}
	}
	return corev1.PodCondition{}
}

// PodTrouble is what the scheduler or the kubelet says is wrong with a pod.
type PodTrouble struct {
	// Container is the one that waits; empty for a pod that has no node.
	Container string
	// Reason is a word such as "Unschedulable" or "CrashLoopBackOff".
	Reason  string
	Message string
	// Ended is how the container ended the last time; nil if it has not.
	Ended *corev1.ContainerStateTerminated
}

// Describe returns reason and message on one line.
func (t PodTrouble) Describe() string {
	return strings.TrimSuffix(t.Reason+": "+strings.Join(strings.Fields(t.Message), " "), ": ")
}

// TroubleOf returns why a pod will not run soon: no node takes it, its image is not available, its container crashes.
// There is none in a pod that runs, has ended or is starting. Times and counts are left out: the same trouble reads
// the same.
func TroubleOf(pod *corev1.Pod) (PodTrouble, bool) {
	if pod.Status.Phase == corev1.PodSucceeded {
		return PodTrouble{}, false
	}
	if c := PodCondition(pod, corev1.PodScheduled); c.Status == corev1.ConditionFalse {
		return PodTrouble{Reason: c.Reason, Message: c.Message}, true
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		w := s.State.Waiting
		if w == nil || w.Reason == "" || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing" {
			continue
		}
		return PodTrouble{s.Name, w.Reason, w.Message, s.LastTerminationState.Terminated}, true
	}
	return PodTrouble{}, false
}

// judgePod judges a pod. v is what kstatus says, for which a failed pod is done.
func judgePod(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod); err != nil {
		return v.with(step.StateUnknown, "", "it does not have the form of a pod")
	}
	v.Hint = hint.New("oc describe pod %s -n %s", pod.Name, pod.Namespace)
	trouble, wrong := TroubleOf(pod)
	switch {
	case pod.Status.Phase == corev1.PodFailed:
		failed := PodTrouble{Reason: pod.Status.Reason, Message: pod.Status.Message}
		return v.with(step.StateBroken, pod.Status.Reason, "%s", strings.TrimSuffix("it has failed: "+
			strings.TrimPrefix(failed.Describe(), ": "), ": "))
	case v.OK():
		return v
	case wrong && trouble.Container != "":
		return v.with(step.StatePending, trouble.Reason, "container %s: %s", trouble.Container, trouble.Describe()).
			inTrouble()
	case wrong:
		return v.with(step.StatePending, trouble.Reason, "%s", trouble.Describe()).inTrouble()
	case pod.Status.Phase == "":
		return v.with(step.StatePending, "Pending", "it is not ready")
	}
	return v.with(step.StatePending, string(pod.Status.Phase), "it is %s and not ready", pod.Status.Phase)
}
