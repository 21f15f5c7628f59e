package status

import (
	"slices"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ControlPlaneVersion is the roll-out of a control plane's components on the management cluster, in the status of
// HostedControlPlanes and HostedClusters from HyperShift 4.22 on. The API module that the sandbox uses lacks it.
type ControlPlaneVersion struct {
	Desired            configv1.Release     `json:"desired"`
	History            []ControlPlaneUpdate `json:"history,omitempty"` // newest first
	ObservedGeneration int64                `json:"observedGeneration,omitempty"`
}

// ControlPlaneUpdate is one release of a control plane.
type ControlPlaneUpdate struct {
	State          configv1.UpdateState `json:"state"`
	StartedTime    metav1.Time          `json:"startedTime"`
	CompletionTime *metav1.Time         `json:"completionTime,omitempty"`
	Version        string               `json:"version"`
	Image          string               `json:"image"`
}

// Advance returns what the control-plane-operator writes next. complete reports whether all components are at the
// release. The first look at a release never completes it; a release that is left before its end gets a completion time
// and stays Partial.
func (v ControlPlaneVersion) Advance(to configv1.Release, generation int64, complete bool,
	now time.Time) ControlPlaneVersion {
	at := metav1.NewTime(now.Truncate(time.Second))
	next := ControlPlaneVersion{Desired: to, History: slices.Clone(v.History), ObservedGeneration: generation}
	if len(next.History) == 0 || next.History[0].Version != to.Version || next.History[0].Image != to.Image {
		if len(next.History) > 0 && next.History[0].CompletionTime == nil {
			next.History[0].CompletionTime = &at
		}
		begun := ControlPlaneUpdate{State: configv1.PartialUpdate, StartedTime: at, Version: to.Version, Image: to.Image}
		next.History = append([]ControlPlaneUpdate{begun}, next.History...)
		return next
	}
	if complete && next.History[0].State == configv1.PartialUpdate {
		next.History[0].State, next.History[0].CompletionTime = configv1.CompletedUpdate, &at
	}
	return next
}
