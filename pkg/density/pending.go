package density

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Stalled is a pod that stays Pending and does nothing.
type Stalled struct {
	// Pod is "namespace/name".
	Pod   string    `json:"pod"`
	UID   string    `json:"uid"`
	Since time.Time `json:"since"`
	// Why in the scheduler's or the kubelet's words.
	Why string `json:"why,omitempty"`
}

// stalled tells whether a pod waits without anything going on in it: no node takes it, or none of its containers has
// started. A pod whose init containers run is Pending by its phase too, and control planes have many of those: they
// wait for each other in init containers.
func stalled(pod *corev1.Pod) (Stalled, bool) {
	if pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil {
		return Stalled{}, false
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil {
			return Stalled{}, false
		}
	}
	out := Stalled{Pod: pod.Namespace + "/" + pod.Name, UID: string(pod.UID), Since: pod.CreationTimestamp.UTC()}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			out.Why = strings.Join(strings.Fields(c.Reason+": "+c.Message), " ")
		}
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil && out.Why == "" && w.Reason != "" {
			out.Why = strings.Join(strings.Fields(w.Reason+" "+w.Message), " ")
		}
	}
	return out, true
}

// longer are those that have been so for longer than grace, the oldest first, without those that are known.
func longer(all []Stalled, now time.Time, grace time.Duration, known []string) []Stalled {
	var out []Stalled
	for _, s := range all {
		if now.Sub(s.Since) > grace && !slices.Contains(known, s.UID) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Stalled) int { return a.Since.Compare(b.Since) })
	return out
}
