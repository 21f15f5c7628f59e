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
	return sanitize.Value(strings.TrimSuffix(t.Reason+": "+t.Message, ": "))
}

// Says is Describe with the container and how it ended, instead of how long the kubelet waits before it tries again.
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

// crashLoop is the kubelet's reason of a container that it starts again after a pause.
const crashLoop = "CrashLoopBackOff"

// ending says how a container ended: "ended with exit code 2 (Error): the last line that it wrote".
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

// maxLastLine limits a line of a container's own output, in characters.
const maxLastLine = 400

// lastLine is the last line of a termination message, which may be the end of a log.
func lastLine(message string) string {
	message = strings.TrimSpace(message)
	line := []rune(strings.TrimSpace(message[strings.LastIndexAny(message, "\r\n")+1:]))
	if len(line) > maxLastLine {
		line = append(line[:maxLastLine], '…')
	}
	return sanitize.Value(string(line))
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

// The times after which a pod that does not get ready is in trouble, and in which a restart is worth a warning.
const (
	startGrace   = 5 * time.Minute
	initGrace    = 15 * time.Minute
	recentStart  = 24 * time.Hour
	manyRestarts = 3
	outOfMemory  = "OOMKilled"
)

// judgePod judges a pod. v is what kstatus says, for which a failed pod is done.
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

// judgeFailedPod says why a pod has failed: what the kubelet says of it, or how a container ended.
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

// judgeRestarts warns of a container that works again after it was out of memory or has ended often.
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

// judgeStart judges a pod that is not ready, and of which nobody says that something is wrong.
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
		v.Message += ": " + why.Describe() // the node controller's, such as NodeLost
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

// initializing is the init container that a pod waits for, and since when it runs. One that starts again and again for
// the life of its pod, as a sidecar, is none.
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

// troubleSince is when a pod's trouble began, as far as its status says.
func troubleSince(pod *corev1.Pod, t PodTrouble) time.Time {
	switch {
	case t.Ended != nil:
		return t.Ended.FinishedAt.Time
	case t.Container == "":
		return PodCondition(pod, corev1.PodScheduled).LastTransitionTime.Time
	}
	return cmp.Or(PodCondition(pod, corev1.PodReady).LastTransitionTime.Time, pod.CreationTimestamp.Time)
}
