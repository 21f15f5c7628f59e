package hypershift

import (
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// rollout plays the cluster version operator of a guest, as far as the HostedCluster shows it.
type rollout struct {
	// reported: it runs and has written its ClusterVersion.
	reported bool
	// done: this payload is rolled out.
	done bool
	// blockers are the cluster operators that are not available.
	blockers []string
	// stuck: they have been missing for so long that it calls the roll-out failing.
	stuck bool
	// percent of the payload applied so far.
	percent int
}

// Guess: the words and reasons below are the cluster version operator's as its users know them; they were not recorded,
// because the recorded run had no nodes.
func (o rollout) conditions(p release) []condition {
	list := []condition{
		{
			string(hyperv1.ClusterVersionReleaseAccepted), metav1.ConditionTrue, reasonPayloadLoaded,
			msgPayloadLoaded(p.Version, p.Image, strings.ToLower(string(p.Arch))),
		},
		{string(hyperv1.ClusterVersionUpgradeable), metav1.ConditionTrue, hyperv1.FromClusterVersionReason, msgNotInCVO},
	}
	from := func(kind hyperv1.ConditionType, status metav1.ConditionStatus, message string) condition {
		return condition{string(kind), status, hyperv1.FromClusterVersionReason, message}
	}
	switch {
	case o.done:
		return append(list,
			from(hyperv1.ClusterVersionAvailable, metav1.ConditionTrue, msgDoneApplying(p.Version)),
			from(hyperv1.ClusterVersionFailing, metav1.ConditionFalse, ""),
			from(hyperv1.ClusterVersionProgressing, metav1.ConditionFalse, msgClusterVersionIs(p.Version)))
	case o.stuck:
		return append(list,
			from(hyperv1.ClusterVersionAvailable, metav1.ConditionFalse, ""),
			condition{
				string(hyperv1.ClusterVersionFailing), metav1.ConditionTrue, reasonOperatorsNotReady,
				msgOperatorsNotAvailable(o.blockers),
			},
			condition{
				string(hyperv1.ClusterVersionProgressing), metav1.ConditionTrue, reasonOperatorsNotReady,
				msgUnableToApply(p.Version),
			})
	}
	return append(list,
		from(hyperv1.ClusterVersionAvailable, metav1.ConditionFalse, ""),
		from(hyperv1.ClusterVersionFailing, metav1.ConditionFalse, ""),
		from(hyperv1.ClusterVersionProgressing, metav1.ConditionTrue, msgWorkingTowards(p.Version, o.percent)))
}

// status is the version history: the entry of this payload turns Completed when the roll-out is done.
func (o rollout) status(hcp *hyperv1.HostedControlPlane, p release, now metav1.Time) *hyperv1.ClusterVersionStatus {
	v := hcp.Status.VersionStatus.DeepCopy()
	if v == nil {
		v = &hyperv1.ClusterVersionStatus{AvailableUpdates: []configv1.Release{}}
	}
	v.Desired = configv1.Release{Version: p.Version, Image: p.Image}
	v.ObservedGeneration = 1
	if len(v.History) == 0 || v.History[0].Image != p.Image {
		started := now
		if len(v.History) == 0 {
			started = hcp.CreationTimestamp
		}
		v.History = append([]configv1.UpdateHistory{{
			State: configv1.PartialUpdate, StartedTime: started, Image: p.Image, Version: p.Version,
		}}, v.History...)
	}
	if o.done && v.History[0].State != configv1.CompletedUpdate {
		v.History[0].State = configv1.CompletedUpdate
		v.History[0].CompletionTime = ptr.To(now)
	}
	return v
}

// versionStatus is what the HostedCluster says of its version: the control plane's word, or before there is one a first
// history entry without a version.
func versionStatus(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) *hyperv1.ClusterVersionStatus {
	if hcp != nil && hcp.Status.VersionStatus != nil {
		return hcp.Status.VersionStatus
	}
	image := hc.Spec.Release.Image
	if v := hc.Status.Version; v != nil && len(v.History) > 0 {
		if v.Desired.Image == image {
			return v
		}
		v = v.DeepCopy()
		v.Desired.Image, v.ObservedGeneration = image, hc.Generation
		v.History = append([]configv1.UpdateHistory{firstEntry(image)}, v.History...)
		return v
	}
	return &hyperv1.ClusterVersionStatus{
		Desired: configv1.Release{Image: image}, ObservedGeneration: hc.Generation,
		AvailableUpdates: []configv1.Release{}, History: []configv1.UpdateHistory{firstEntry(image)},
	}
}

func firstEntry(image string) configv1.UpdateHistory {
	return configv1.UpdateHistory{State: configv1.PartialUpdate, Image: image, StartedTime: metav1.NewTime(time.Now().Truncate(time.Second))}
}
