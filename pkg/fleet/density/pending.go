package density

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Stalled is a pod that stays Pending without progress.
type Stalled struct {
	// Pod is "namespace/name".
	Pod   string    `json:"pod"`
	UID   string    `json:"uid"`
	Since time.Time `json:"since"`
	// Why is the scheduler's or the kubelet's reason.
	Why string `json:"why,omitempty"`
}

// stalled reports whether a Pending pod makes no progress: it has no node, or none of its containers has
// started. Init containers of control planes wait for other pods, so a running one counts as progress.
func stalled(pod *corev1.Pod) (Stalled, bool) {
	if pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil {
		return Stalled{}, false
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil {
			return Stalled{}, false
		}
	}
	trouble, _ := health.TroubleOf(pod)
	return Stalled{Pod: pod.Namespace + "/" + pod.Name, UID: string(pod.UID), Since: pod.CreationTimestamp.UTC(),
		Why: trouble.Says()}, true
}

// olderThan returns the pods that have been stalled for longer than grace, the oldest first, except known ones.
func olderThan(all []Stalled, now time.Time, grace time.Duration, known []string) []Stalled {
	var out []Stalled
	for _, s := range all {
		if now.Sub(s.Since) > grace && !slices.Contains(known, s.UID) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Stalled) int { return a.Since.Compare(b.Since) })
	return out
}
