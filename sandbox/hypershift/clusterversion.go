package hypershift

import (
	"cmp"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// rollout plays the cluster version operator of a guest.
type rollout struct {
	// reported: it runs and has written its ClusterVersion.
	reported bool
	// payload is the release it works towards: that of its own pods.
	payload release
	// previous is the version it has completed before; "" during the first roll-out.
	previous string
	// done: this payload is rolled out.
	done bool
	// updated are the cluster operators at this payload, at is the one under way.
	updated []string
	at      string
	// blockers are the cluster operators that are not available, degraded is one that is degraded.
	blockers []string
	degraded string
	// stuck: they have been missing or degraded for so long that it calls the roll-out failing.
	stuck bool
	// notUpgradeable is why a cluster operator does not want the next minor.
	notUpgradeable string
	updates        updates
	// nodes are how many are ready, way is the way in for applications, which a guest without ingress has no use for.
	nodes     int
	way       way
	noIngress bool
}

// percent of the payload applied so far.
func (o rollout) percent() int {
	return min(99, 10+90*len(o.updated)/len(o.operators()))
}

// Guess: the words and reasons below are the cluster version operator's as its users know them; they were not recorded,
// because the recorded run had no nodes.

// conditions are those of the guest's ClusterVersion.
func (o rollout) conditions() []condition {
	p := o.payload
	c := func(kind, status, reason, message string) condition {
		return condition{kind, metav1.ConditionStatus(status), reason, message}
	}
	list := []condition{
		c("ReleaseAccepted", "True", reasonPayloadLoaded, msgPayloadLoaded(p.Version, p.Image, strings.ToLower(string(p.Arch)))),
		c("ImplicitlyEnabledCapabilities", "False", "AsExpected", "Capabilities match configured spec"),
		c("RetrievedUpdates", "True", "", ""),
	}
	if o.updates.problem != "" {
		list[2] = c("RetrievedUpdates", "False", o.updates.problemReason, o.updates.problem)
	}
	if o.notUpgradeable != "" {
		list = append(list, c("Upgradeable", "False", reasonIncompatibleOperators, msgOperatorNotUpgradeable(notUpgradeableOperator, o.notUpgradeable)))
	}
	available := c("Available", "False", "", "")
	switch {
	case o.done:
		available = c("Available", "True", "", msgDoneApplying(p.Version))
	case o.previous != "":
		available = c("Available", "True", "", msgDoneApplying(o.previous))
	}
	failing := c("Failing", "False", "", "")
	if o.stuck {
		failing = c("Failing", "True", o.why(), o.whyNot())
	}
	progressing := c("Progressing", "True", "", msgWorkingTowards(p.Version, o.percent()))
	switch {
	case o.done && o.stuck:
		progressing = c("Progressing", "False", o.why(), fmt.Sprintf("Error while reconciling %s: %s", p.Version, o.whyNot()))
	case o.done:
		progressing = c("Progressing", "False", "", msgClusterVersionIs(p.Version))
	case o.stuck:
		progressing = c("Progressing", "True", o.why(), msgUnableToApply(p.Version, o.waitsFor()))
	}
	return append(list, available, failing, progressing)
}

// why is the reason of a failing roll-out.
func (o rollout) why() string {
	switch {
	case o.degraded != "":
		return "ClusterOperatorDegraded"
	case len(o.blockers) == 1:
		return "ClusterOperatorNotAvailable"
	}
	return reasonOperatorsNotReady
}

func (o rollout) whyNot() string {
	if o.degraded != "" {
		return fmt.Sprintf("Cluster operator %s is degraded", o.degraded)
	}
	return msgOperatorsNotAvailable(o.blockers)
}

// waitsFor names the operators a stuck roll-out waits for.
func (o rollout) waitsFor() []string {
	if o.degraded != "" {
		return []string{o.degraded}
	}
	return o.blockers
}

// bubbled are the same conditions as the control plane reports them.
func (o rollout) bubbled() []condition {
	list := []condition{{string(hyperv1.ClusterVersionUpgradeable), metav1.ConditionTrue, hyperv1.FromClusterVersionReason, msgNotInCVO}}
	for _, c := range o.conditions() {
		switch kind := hyperv1.ConditionType("ClusterVersion" + c.kind); kind {
		case hyperv1.ClusterVersionUpgradeable:
			c.kind = string(kind)
			list[0] = c
		case hyperv1.ClusterVersionAvailable, hyperv1.ClusterVersionFailing, hyperv1.ClusterVersionProgressing,
			hyperv1.ClusterVersionReleaseAccepted, hyperv1.ClusterVersionRetrievedUpdates:
			c.kind, c.reason = string(kind), cmp.Or(c.reason, hyperv1.FromClusterVersionReason)
			list = append(list, c)
		}
	}
	return list
}

// status is the version history: the entry of this payload turns Completed when the roll-out is done.
func (o rollout) status(hcp *hyperv1.HostedControlPlane, generation int64, now metav1.Time) *hyperv1.ClusterVersionStatus {
	v := hcp.Status.VersionStatus.DeepCopy()
	if v == nil {
		v = &hyperv1.ClusterVersionStatus{}
	}
	v.Desired = configv1.Release{Version: o.payload.Version, Image: o.payload.Image, Channels: o.updates.channels}
	v.ObservedGeneration = generation
	v.AvailableUpdates, v.ConditionalUpdates = o.updates.available, o.updates.conditional
	if v.AvailableUpdates == nil {
		v.AvailableUpdates = []configv1.Release{}
	}
	if len(v.History) == 0 || v.History[0].Image != o.payload.Image {
		started := now
		if len(v.History) == 0 {
			started = hcp.CreationTimestamp
		}
		v.History = append([]configv1.UpdateHistory{{
			State: configv1.PartialUpdate, StartedTime: started, Image: o.payload.Image, Version: o.payload.Version,
		}}, v.History...)
		if len(v.History) > 1 && v.History[1].CompletionTime == nil {
			v.History[1].CompletionTime = ptr.To(now) // it was left before it was complete
		}
	}
	if o.done && v.History[0].State != configv1.CompletedUpdate {
		v.History[0].State = configv1.CompletedUpdate
		v.History[0].CompletionTime = ptr.To(now)
	}
	return v
}

// completedVersion is the version last completed, "" if none was.
func completedVersion(hcp *hyperv1.HostedControlPlane) string {
	if hcp.Status.VersionStatus != nil {
		for _, h := range hcp.Status.VersionStatus.History {
			if h.State == configv1.CompletedUpdate {
				return h.Version
			}
		}
	}
	return ""
}

// completed: the history says that this image is rolled out.
func completed(hcp *hyperv1.HostedControlPlane, image string) bool {
	v := hcp.Status.VersionStatus
	return v != nil && len(v.History) > 0 && v.History[0].Image == image && v.History[0].State == configv1.CompletedUpdate
}

// way is the way in for a guest's applications.
type way struct {
	// open: a request for *.apps reaches the guest's router.
	open bool
	// why is what the console's health check gets instead.
	why string
}
