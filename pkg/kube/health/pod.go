package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// PodReady reports whether the condition Ready is True.
func PodReady(pod *corev1.Pod) bool {
	_, ready := PodReadySince(pod)
	return ready
}

// PodReadySince returns the time since which the pod is ready.
func PodReadySince(pod *corev1.Pod) (since time.Time, ready bool) {
	if c := PodCondition(pod, corev1.PodReady); c.Status == corev1.ConditionTrue {
		return c.LastTransitionTime.Time, true
	}
	return time.Time{}, false
}

// PodCondition returns the pod's condition of a type, or a zero condition if it does not exist.
func PodCondition(pod *corev1.Pod, conditionType corev1.PodConditionType) corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == conditionType {
			return pod.Status.Conditions[i]
		}
	}
	return corev1.PodCondition{}
}

// PodTrouble is a problem of a pod that the scheduler or the kubelet reports.
type PodTrouble struct {
	// Container is the waiting container; "" for a pod without a node.
	Container string
	// Reason is such as "Unschedulable" or "CrashLoopBackOff".
	Reason  string
	Message string
	// Ended is the last termination of the container; nil if it has none.
	Ended *corev1.ContainerStateTerminated
}

// Describe returns reason and message on one line.
func (t PodTrouble) Describe() string {
	return sanitize.Value(strings.TrimSuffix(t.Reason+": "+t.Message, ": "))
}

// Says returns Describe with the container and its last termination, without the kubelet's retry delay.
func (t PodTrouble) Says() string {
	text := t.Describe()
	if t.Ended != nil {
		if t.Reason == crashLoop {
			text = t.Reason
		}
		text = strings.TrimPrefix(text+": it "+ending(t.Ended), ": ")
	}
	if t.Container != "" {
		text = "container " + t.Container + ": " + text
	}
	return text
}

// crashLoop is the kubelet's reason for a container that it restarts after a delay.
const crashLoop = "CrashLoopBackOff"

// ending describes a termination: "ended with exit code 2 (Error): the last line that it wrote".
func ending(t *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("ended with exit code %d", t.ExitCode)
	if t.Reason != "" {
		text += " (" + sanitize.Value(t.Reason) + ")"
	}
	if line := lastLine(t.Message); line != "" {
		text += ": " + line
	}
	return text
}

// maxLastLine is the maximum length of a line of a container's output, in characters.
const maxLastLine = 400

// lastLine returns the last line of a termination message, which may be the end of a log.
func lastLine(message string) string {
	message = strings.TrimSpace(message)
	line := []rune(strings.TrimSpace(message[strings.LastIndexAny(message, "\r\n")+1:]))
	if len(line) > maxLastLine {
		line = append(line[:maxLastLine], '…')
	}
	return sanitize.Value(string(line))
}

// TroubleOf returns why a pod will not run soon: no node can run it, its image is not available, or its container
// crashes. It returns false for a pod that runs, has ended or is starting. Times and counts are left out, so the text
// stays the same for the same problem.
func TroubleOf(pod *corev1.Pod) (PodTrouble, bool) {
	if pod.Status.Phase == corev1.PodSucceeded {
		return PodTrouble{}, false
	}
	if c := PodCondition(pod, corev1.PodScheduled); c.Status == corev1.ConditionFalse {
		return PodTrouble{Reason: c.Reason, Message: c.Message}, true
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		w := s.State.Waiting
		if w == nil || w.Reason == "" || w.Reason == ReasonCreating || w.Reason == "PodInitializing" {
			continue
		}
		return PodTrouble{s.Name, w.Reason, w.Message, s.LastTerminationState.Terminated}, true
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
			return PodTrouble{Container: s.Name, Ended: t}, true
		}
	}
	return PodTrouble{}, false
}

// Limits of judgePod: the time in which a pod must become ready, and the age and number of restarts that get a warning.
const (
	startGrace   = 5 * time.Minute
	initGrace    = 15 * time.Minute
	recentStart  = 24 * time.Hour
	manyRestarts = 3
	outOfMemory  = "OOMKilled"
)

// judgePod judges a pod. v is the verdict of kstatus, which counts a failed pod as done.
func judgePod(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod); err != nil {
		return v.with(step.StateUnknown, "", "it does not have the form of a pod")
	}
	v.Hint = hint.New("oc describe pod %s -n %s", pod.Name, pod.Namespace)
	ready := PodCondition(pod, corev1.PodReady)
	v.Since = ready.LastTransitionTime.Time
	trouble, wrong := TroubleOf(pod)
	switch {
	case pod.Status.Phase == corev1.PodFailed:
		return judgeFailedPod(pod, v)
	case v.OK():
		return judgeRestarts(pod, v, f.now)
	case wrong:
		v.Since = troubleSince(pod, trouble)
		return v.with(step.StatePending, cmp.Or(trouble.Reason, "Ended"), "%s", trouble.Says()).inTrouble()
	case pod.Status.Phase == "":
		return v.with(step.StatePending, "Pending", "it is not ready")
	}
	return judgeStart(pod, v, f.now)
}

// judgeFailedPod returns why a pod failed: the kubelet's reason, or the termination of a container.
func judgeFailedPod(pod *corev1.Pod, v Verdict) Verdict {
	text := PodTrouble{Reason: pod.Status.Reason, Message: pod.Status.Message}.Describe()
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
			text += "; container " + s.Name + " " + ending(t)
			v.Since = t.FinishedAt.Time
			break
		}
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, ": "), "; ")
	return v.with(step.StateBroken, cmp.Or(pod.Status.Reason, failed), "%s",
		strings.TrimSuffix("it has failed: "+text, ": "))
}

// judgeRestarts warns of a running container that was out of memory or has restarted often.
func judgeRestarts(pod *corev1.Pod, v Verdict, now time.Time) Verdict {
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		t := s.LastTerminationState.Terminated
		if t == nil || s.RestartCount == 0 || pod.Status.Phase != corev1.PodRunning ||
			s.RestartCount < manyRestarts && t.Reason != outOfMemory || now.Sub(t.FinishedAt.Time) > recentStart ||
			v.State == step.StateWarning && !t.FinishedAt.After(v.Since) {
			continue
		}
		v.Since = t.FinishedAt.Time
		v = v.with(step.StateWarning, t.Reason, "container %s has restarted %s, the last time %s ago: it %s", s.Name,
			plural.Count(int(s.RestartCount), "time"), duration.HumanDuration(max(0, now.Sub(v.Since))), ending(t))
	}
	return v
}

// judgeStart judges a pod that is not ready and reports no problem.
func judgeStart(pod *corev1.Pod, v Verdict, now time.Time) Verdict {
	ready, creating := PodCondition(pod, corev1.PodReady), ""
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil && creating == "" && w.Reason == ReasonCreating {
			creating = s.Name
		}
	}
	v = v.with(step.StatePending, string(pod.Status.Phase), "it is %s and not ready", pod.Status.Phase)
	if init, since := initializing(pod); init != "" {
		if since.IsZero() {
			since = v.Since
		}
		v = v.with(step.StatePending, "PodInitializing", "init container %s runs and has not ended", init)
		v.Since = since
		if v.Recheck = max(0, initGrace-now.Sub(since)); v.Recheck > 0 || since.IsZero() || now.IsZero() {
			return v
		}
		return v.inTrouble()
	}
	if creating != "" {
		v = v.with(step.StatePending, ReasonCreating, "container %s is being created", creating)
		v.Since = cmp.Or(PodCondition(pod, corev1.PodScheduled).LastTransitionTime.Time, pod.CreationTimestamp.Time)
	} else if why := (PodTrouble{Reason: pod.Status.Reason, Message: pod.Status.Message}); why.Reason != "" {
		v.Message += ": " + why.Describe() // of the node controller, such as NodeLost
	} else if pod.Status.Phase == corev1.PodRunning && ready.Message != "" {
		v.Message += ": " + ready.Message
	}
	if creating == "" && pod.Status.Phase != corev1.PodRunning || v.Since.IsZero() || now.IsZero() {
		return v
	}
	if v.Recheck = max(0, startGrace-now.Sub(v.Since)); v.Recheck > 0 {
		return v
	}
	if creating != "" {
		v.Message = fmt.Sprintf("container %s has not been created for more than %s: its volumes, its network or its image "+
			"are not there", creating, duration.HumanDuration(startGrace))
	}
	return v.inTrouble()
}

// initializing returns the running init container that a pod waits for, and its start time. It ignores sidecars.
func initializing(pod *corev1.Pod) (name string, since time.Time) {
	for _, s := range pod.Status.InitContainerStatuses {
		if r := s.State.Running; r != nil && !sidecar(pod, s.Name) {
			return s.Name, r.StartedAt.Time
		}
	}
	return "", time.Time{}
}

func sidecar(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool {
		return c.Name == name && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
	})
}

// troubleSince returns the time when a pod's problem began, if its status has it.
func troubleSince(pod *corev1.Pod, t PodTrouble) time.Time {
	switch {
	case t.Ended != nil:
		return t.Ended.FinishedAt.Time
	case t.Container == "":
		return PodCondition(pod, corev1.PodScheduled).LastTransitionTime.Time
	}
	return cmp.Or(PodCondition(pod, corev1.PodReady).LastTransitionTime.Time, pod.CreationTimestamp.Time)
}
