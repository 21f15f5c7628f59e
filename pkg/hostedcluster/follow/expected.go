package follow

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Weight is what it means that a condition is not as it is when all is well.
type Weight int

// The weights.
const (
	// Counts means something is wrong.
	Counts Weight = iota
	// Moves means something is under way.
	Moves
	// Advises means there is something to know; the cluster works all the same.
	Advises
)

// expectation is what a condition is when all is well with a hosted cluster or node pool.
type expectation struct {
	kind, condition string
	good            metav1.ConditionStatus
	weight          Weight
	// workers: without worker nodes it cannot be good.
	workers bool
	// later: what it advises is not worth a word at the end of a create.
	later bool
	// note is what a person should know about the advice beside the operator's words.
	note string
}

// Conditions whose names the API module does not have (yet): newer operators report them, or HyperShift has them
// elsewhere.
const (
	dataPlaneConnection    = "DataPlaneConnectionAvailable"
	controlPlaneConnection = "ControlPlaneConnectionAvailable"
	configOperator         = "ConfigOperatorReconciliationSucceeded"
	validProxy             = "ValidProxyConfiguration"
	infraNetworkPolicyRBAC = "ValidKubeVirtInfraNetworkPolicyRBAC"
	noWorkers              = "NoWorkerNodesAvailable"
)

// expectations is the one place that knows what each condition is when all is well: HyperShift's own list for KubeVirt
// (support/conditions, ExpectedHCConditions; August 2026), its advice, and for NodePools what its controller writes.
// Causes stand before what follows from them. A condition that is not here is not judged: operators of other versions
// report others.
func expectations() []expectation {
	const yes, no = metav1.ConditionTrue, metav1.ConditionFalse
	hc := func(t hyperv1.ConditionType, good metav1.ConditionStatus, w Weight) expectation {
		return expectation{kind: hostedcluster.HostedClusterKind, condition: string(t), good: good, weight: w}
	}
	np := func(t string, good metav1.ConditionStatus, w Weight) expectation {
		return expectation{kind: hostedcluster.NodePoolKind, condition: t, good: good, weight: w}
	}
	withWorkers := func(e expectation) expectation { e.workers = true; return e }
	later := func(e expectation) expectation { e.later = true; return e }
	noting := func(note string, e expectation) expectation { e.note = note; return e }
	return []expectation{
		hc(hyperv1.SupportedHostedCluster, yes, Counts),
		hc(hyperv1.ValidHostedClusterConfiguration, yes, Counts),
		hc(hyperv1.PlatformCredentialsFound, yes, Counts),
		hc(hyperv1.ValidReleaseImage, yes, Counts),
		hc(hyperv1.ValidHostedControlPlaneConfiguration, yes, Counts),
		hc(hyperv1.ReconciliationSucceeded, yes, Counts),
		hc(hyperv1.InfrastructureReady, yes, Counts),
		hc(hyperv1.EtcdAvailable, yes, Counts),
		hc(hyperv1.KubeAPIServerAvailable, yes, Counts),
		hc(hyperv1.IgnitionEndpointAvailable, yes, Counts),
		hc(hyperv1.HostedClusterAvailable, yes, Counts),
		hc(hyperv1.HostedClusterDegraded, no, Counts),
		hc(controlPlaneConnection, yes, Counts),
		hc(configOperator, yes, Counts),
		withWorkers(hc(dataPlaneConnection, yes, Counts)),
		withWorkers(hc(hyperv1.ClusterVersionReleaseAccepted, yes, Counts)),
		withWorkers(hc(hyperv1.ClusterVersionSucceeding, yes, Counts)),
		withWorkers(hc(hyperv1.ClusterVersionAvailable, yes, Counts)),
		hc(hyperv1.HostedClusterProgressing, no, Moves),
		withWorkers(hc(hyperv1.ClusterVersionProgressing, no, Moves)),
		hc(hyperv1.EtcdRecoveryActive, no, Moves),
		// It stands for the infrastructure's MTU, which costs speed, and a volume that only one node can use, which costs
		// live migration.
		hc(hyperv1.ValidKubeVirtInfraNetworkMTU, yes, Advises),
		hc(hyperv1.KubeVirtNodesLiveMigratable, yes, Advises),
		later(hc(hyperv1.ClusterVersionUpgradeable, yes, Advises)),
		hc(hyperv1.ValidIDPConfiguration, yes, Advises),
		hc(validProxy, yes, Advises),
		hc(infraNetworkPolicyRBAC, yes, Advises),
		// It names images that an operator newer than the release knows of: seen on control planes that work.
		later(hc(hyperv1.ValidReleaseInfo, yes, Advises)),
		// Unknown while no external DNS is configured, which says nothing.
		hc(hyperv1.ExternalDNSReachable, yes, Advises),
		hc(hyperv1.ReconciliationActive, yes, Advises),

		np(hyperv1.NodePoolValidReleaseImageConditionType, yes, Counts),
		np(hyperv1.NodePoolValidArchPlatform, yes, Counts),
		np(hyperv1.NodePoolSupportedVersionSkewConditionType, yes, Counts),
		np(hyperv1.NodePoolValidPlatformImageType, yes, Counts),
		np(hyperv1.NodePoolValidPlatformConfigConditionType, yes, Counts),
		np(hyperv1.NodePoolValidMachineTemplateConditionType, yes, Counts),
		np(hyperv1.NodePoolValidMachineConfigConditionType, yes, Counts),
		np(hyperv1.NodePoolValidTuningConfigConditionType, yes, Counts),
		np(hyperv1.NodePoolValidGeneratedPayloadConditionType, yes, Counts),
		np(ignitionEndpointAvailable, yes, Counts),
		np(hyperv1.NodePoolUpdateManagementEnabledConditionType, yes, Counts),
		withWorkers(np(hyperv1.NodePoolReachedIgnitionEndpoint, yes, Moves)),
		withWorkers(np(hyperv1.NodePoolAllMachinesReadyConditionType, yes, Moves)),
		withWorkers(np(hyperv1.NodePoolAllNodesHealthyConditionType, yes, Moves)),
		withWorkers(np(hyperv1.NodePoolReadyConditionType, yes, Moves)),
		withWorkers(np(hyperv1.NodePoolUpdatingVersionConditionType, no, Moves)),
		withWorkers(np(hyperv1.NodePoolUpdatingConfigConditionType, no, Moves)),
		withWorkers(np(hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType, no, Moves)),
		// Raised without a conflict on KubeVirt by the operators of MCE 2.11 (openshift/hypershift issue 8229).
		noting(
			"on multicluster engine 2.11 this is known to be a false alarm: the nodes of KubeVirt share the management "+
				"cluster's network",
			np(hyperv1.NodePoolClusterNetworkCIDRConflictType, no, Advises),
		),
		// The HostedCluster's KubeVirtNodesLiveMigratable sums it up.
		later(np(hyperv1.NodePoolKubeVirtLiveMigratableType, yes, Advises)),
		np(hyperv1.NodePoolReconciliationActiveConditionType, yes, Advises),
	}
}

// Judged is a condition that is reported and known, with what it means.
type Judged struct {
	kube.Condition
	// Good is whether it is as it should be.
	Good bool
	// Weight is what it means if it is not.
	Weight Weight
	// Terminal is whether waiting cannot cure it.
	Terminal bool
	// Hint is what a person can do about it; it may be empty.
	Hint string

	expectation expectation
}

// Judge says of each condition that is reported and known whether it is as it should be, causes first. Where the
// cluster or pool is to have no workers, those that cannot be good without are left out. One that is Unknown where it
// may be, or outdated and good, is left out as well: nothing is known of it.
func (r Conditions) Judge(workers bool) []Judged {
	var out []Judged
	for _, e := range expectations() {
		c := kube.FindCondition(r.List, e.condition)
		switch {
		case e.kind != r.kind, c.Status == "", e.workers && !workers:
			continue
		case c.Reason == noWorkers && !workers:
			continue
		}
		j := Judged{Condition: c, Good: c.Status == string(e.good), Weight: e.weight, expectation: e}
		if j.Good && r.outdated(c) || e.weight == Advises && c.Status == string(metav1.ConditionUnknown) {
			continue
		}
		over, hint := terminal(r.kind, c)
		j.Terminal = c.False() && over && !r.outdated(c)
		if c.Reason == hyperv1.BlockedReason {
			// The operator does not get to it: Progressing is False then, which is else the good one.
			j.Good, j.Weight = false, Counts
		}
		if j.Good = j.Good && !j.Terminal; !j.Good {
			j.Hint = r.named(hint)
		}
		out = append(out, j)
	}
	return out
}

// advice is what the operators report that does not keep the cluster from working, in words for the end of a create.
func (r Conditions) advice() []string {
	var told []string
	for _, j := range r.Judge(true) {
		if j.Good || j.Weight != Advises || j.expectation.later {
			continue
		}
		words := j.Describe()
		if note := j.expectation.note; note != "" {
			words += " (" + note + ")"
		}
		told = append(told, words)
	}
	return told
}
