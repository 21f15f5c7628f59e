package guest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// Rollout simulates the cluster version operator of a guest.
type Rollout struct {
	// Reported reports whether it runs and has written its ClusterVersion.
	Reported bool
	// Payload is the target release, that of its own pods.
	Payload release.Payload
	// Image is what it was given for that; "" if that is the payload's own name.
	Image string
	// Previous is the last completed version; "" during the first roll-out.
	Previous string
	// Done reports whether this payload is rolled out.
	Done bool
	// Updated are the cluster operators at this payload, At is the current one.
	Updated []string
	At      string
	// Blockers are the cluster operators that are not available, Degraded is a degraded one.
	Blockers []string
	Degraded string
	// Unavailable and DegradedToo are those that a user or a test has made so.
	Unavailable, DegradedToo []string
	// Stuck reports whether operators have been missing or degraded so long that the roll-out is failing.
	Stuck bool
	// NotUpgradeable is why a cluster operator refuses the next minor.
	NotUpgradeable string
	Updates        release.Updates
	// Nodes is the number of ready nodes, Apps the access to applications, which a guest without ingress does not need.
	Nodes     int
	Apps      AppsAccess
	NoIngress bool
}

func (o Rollout) image() string { return cmp.Or(o.Image, o.Payload.Image) }

// percent is the applied part of the payload.
func (o Rollout) percent() int {
	return min(99, 10+90*len(o.Updated)/len(o.operators()))
}

// The messages and reasons below are the cluster version operator's as its users report them. The recorded run had no
// nodes, so it does not have them.

// conditions returns the conditions of the guest's ClusterVersion.
func (o Rollout) conditions() []status.Condition {
	p := o.Payload
	c := func(kind, value, reason, message string) status.Condition {
		return status.Condition{Kind: kind, Status: metav1.ConditionStatus(value), Reason: reason, Message: message}
	}
	list := []status.Condition{
		c("ReleaseAccepted", "True", reasonPayloadLoaded,
			msgPayloadLoaded(p.Version, o.image(), strings.ToLower(string(p.Arch)))),
		c("ImplicitlyEnabledCapabilities", "False", "AsExpected", "Capabilities match configured spec"),
		c("RetrievedUpdates", "True", "", ""),
	}
	if o.Updates.Problem != "" {
		list[2] = c("RetrievedUpdates", "False", o.Updates.ProblemReason, o.Updates.Problem)
	}
	if o.NotUpgradeable != "" {
		list = append(list, c("Upgradeable", "False", reasonIncompatibleOperators,
			msgOperatorNotUpgradeable(notUpgradeableOperator, o.NotUpgradeable)))
	}
	available := c("Available", "False", "", "")
	switch {
	case o.Done:
		available = c("Available", "True", "", msgDoneApplying(p.Version))
	case o.Previous != "":
		available = c("Available", "True", "", msgDoneApplying(o.Previous))
	}
	failing := c("Failing", "False", "", "")
	if o.Stuck {
		failing = c("Failing", "True", o.failingReason(), o.whyNot())
	}
	progressing := c("Progressing", "True", "", msgWorkingTowards(p.Version, o.percent()))
	switch {
	case o.Done && o.Stuck:
		progressing = c("Progressing", "False", o.failingReason(),
			fmt.Sprintf("Error while reconciling %s: %s", p.Version, o.whyNot()))
	case o.Done:
		progressing = c("Progressing", "False", "", msgClusterVersionIs(p.Version))
	case o.Stuck:
		progressing = c("Progressing", "True", o.failingReason(), msgUnableToApply(p.Version, o.waitsFor()))
	}
	return append(list, available, failing, progressing)
}

// Troubled reports whether a cluster operator is not available, or degraded.
func (o Rollout) Troubled() bool { return len(o.degraded())+len(o.unavailable()) > 0 }

func (o Rollout) degraded() []string {
	if o.Degraded != "" {
		return []string{o.Degraded}
	}
	return o.DegradedToo
}

func (o Rollout) unavailable() []string {
	all := slices.Concat(o.Blockers, o.Unavailable)
	slices.Sort(all)
	return slices.Compact(all)
}

// failingReason returns the reason of a failing roll-out.
func (o Rollout) failingReason() string {
	switch {
	case len(o.degraded()) == 1:
		return "ClusterOperatorDegraded"
	case len(o.degraded()) > 0:
		return "ClusterOperatorsDegraded"
	case len(o.unavailable()) == 1:
		return "ClusterOperatorNotAvailable"
	}
	return reasonOperatorsNotReady
}

func (o Rollout) whyNot() string {
	if all := o.degraded(); len(all) > 0 {
		return msgOperatorsDegraded(all)
	}
	return msgOperatorsNotAvailable(o.unavailable())
}

// waitsFor names the operators that a stuck roll-out waits for.
func (o Rollout) waitsFor() []string {
	if all := o.degraded(); len(all) > 0 {
		return all
	}
	return o.unavailable()
}

// ControlPlaneConditions returns the same conditions as the control plane reports them.
func (o Rollout) ControlPlaneConditions() []status.Condition {
	list := []status.Condition{{Kind: string(hyperv1.ClusterVersionUpgradeable), Status: metav1.ConditionTrue,
		Reason: hyperv1.FromClusterVersionReason, Message: status.MsgNotInCVO}}
	for _, c := range o.conditions() {
		switch kind := hyperv1.ConditionType("ClusterVersion" + c.Kind); kind {
		case hyperv1.ClusterVersionUpgradeable:
			c.Kind = string(kind)
			list[0] = c
		case hyperv1.ClusterVersionAvailable, hyperv1.ClusterVersionFailing, hyperv1.ClusterVersionProgressing,
			hyperv1.ClusterVersionReleaseAccepted, hyperv1.ClusterVersionRetrievedUpdates:
			c.Kind, c.Reason = string(kind), cmp.Or(c.Reason, hyperv1.FromClusterVersionReason)
			list = append(list, c)
		}
	}
	return list
}

// Status returns the version history. The entry of this payload becomes Completed when the roll-out is done.
func (o Rollout) Status(hcp *hyperv1.HostedControlPlane, generation int64,
	now metav1.Time) *hyperv1.ClusterVersionStatus {
	v := hcp.Status.VersionStatus.DeepCopy()
	if v == nil {
		v = &hyperv1.ClusterVersionStatus{}
	}
	v.Desired = configv1.Release{Version: o.Payload.Version, Image: o.image(), Channels: o.Updates.Channels}
	v.ObservedGeneration = generation
	v.AvailableUpdates, v.ConditionalUpdates = o.Updates.Available, o.Updates.Conditional
	if v.AvailableUpdates == nil {
		v.AvailableUpdates = []configv1.Release{}
	}
	if len(v.History) == 0 || v.History[0].Image != o.image() {
		started := now
		if len(v.History) == 0 {
			started = hcp.CreationTimestamp
		}
		v.History = append([]configv1.UpdateHistory{{
			State: configv1.PartialUpdate, StartedTime: started, Image: o.image(), Version: o.Payload.Version,
		}}, v.History...)
		if len(v.History) > 1 && v.History[1].CompletionTime == nil {
			v.History[1].CompletionTime = ptr.To(now) // the next release was requested before this one was complete
		}
	}
	if o.Done && v.History[0].State != configv1.CompletedUpdate {
		v.History[0].State = configv1.CompletedUpdate
		v.History[0].CompletionTime = ptr.To(now)
	}
	return v
}

// CompletedVersion returns the last completed version, or "".
func CompletedVersion(hcp *hyperv1.HostedControlPlane) string {
	if hcp.Status.VersionStatus != nil {
		for _, h := range hcp.Status.VersionStatus.History {
			if h.State == configv1.CompletedUpdate {
				return h.Version
			}
		}
	}
	return ""
}

// Completed reports whether the history has this image as Completed.
func Completed(hcp *hyperv1.HostedControlPlane, image string) bool {
	v := hcp.Status.VersionStatus
	return v != nil && len(v.History) > 0 && release.Is(v.History[0].Image, image) &&
		v.History[0].State == configv1.CompletedUpdate
}

// AppsAccess reports whether requests reach a guest's applications.
type AppsAccess struct {
	// Reachable reports whether a request for *.apps reaches the guest's router.
	Reachable bool
	// Why is the error of the console's health check.
	Why string
}
