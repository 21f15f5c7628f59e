package follow

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Weight is the meaning of a condition that differs from its expected status.
type Weight int

// The weights.
const (
	// WeightFailure means that something is wrong.
	WeightFailure Weight = iota
	// WeightProgress means that something is in progress.
	WeightProgress
	// WeightAdvice means that there is something to know, although the cluster works.
	WeightAdvice
)

// expectation is the status of a condition on a healthy hosted cluster or node pool.
type expectation struct {
	kind, condition string
	good            metav1.ConditionStatus
	weight          Weight
	// workers is whether the condition needs worker nodes.
	workers bool
	// notInAdvice leaves the condition out of the advice after a create.
	notInAdvice bool
	// note is added to the operator's message.
	note string
}

// Conditions without constants in the API module: newer operators report them, or HyperShift defines them elsewhere.
const (
	dataPlaneConnection    = "DataPlaneConnectionAvailable"
	controlPlaneConnection = "ControlPlaneConnectionAvailable"
	configOperator         = "ConfigOperatorReconciliationSucceeded"
	validProxy             = "ValidProxyConfiguration"
	infraNetworkPolicyRBAC = "ValidKubeVirtInfraNetworkPolicyRBAC"
	noWorkers              = "NoWorkerNodesAvailable"
)

// expectations is the only list of what each condition is on a healthy cluster, causes before consequences.
//
// Sources: HyperShift's list for KubeVirt (support/conditions, ExpectedHCConditions; August 2026) and the NodePool
// controller. Unlisted conditions are ignored, because operators of other versions report more.
func expectations() []expectation {
	const yes, no = metav1.ConditionTrue, metav1.ConditionFalse
	hc := func(t hyperv1.ConditionType, good metav1.ConditionStatus, w Weight) expectation {
		return expectation{kind: hostedcluster.HostedClusterKind, condition: string(t), good: good, weight: w}
	}
	np := func(t string, good metav1.ConditionStatus, w Weight) expectation {
		return expectation{kind: hostedcluster.NodePoolKind, condition: t, good: good, weight: w}
	}
	withWorkers := func(e expectation) expectation { e.workers = true; return e }
	later := func(e expectation) expectation { e.notInAdvice = true; return e }
	noting := func(note string, e expectation) expectation { e.note = note; return e }
	return []expectation{
		hc(hyperv1.SupportedHostedCluster, yes, WeightFailure),
		hc(hyperv1.ValidHostedClusterConfiguration, yes, WeightFailure),
		hc(hyperv1.PlatformCredentialsFound, yes, WeightFailure),
		hc(hyperv1.ValidReleaseImage, yes, WeightFailure),
		hc(hyperv1.ValidHostedControlPlaneConfiguration, yes, WeightFailure),
		hc(hyperv1.ReconciliationSucceeded, yes, WeightFailure),
		hc(hyperv1.InfrastructureReady, yes, WeightFailure),
		hc(hyperv1.EtcdAvailable, yes, WeightFailure),
		hc(hyperv1.KubeAPIServerAvailable, yes, WeightFailure),
		hc(hyperv1.IgnitionEndpointAvailable, yes, WeightFailure),
		hc(hyperv1.HostedClusterAvailable, yes, WeightFailure),
		hc(hyperv1.HostedClusterDegraded, no, WeightFailure),
		hc(controlPlaneConnection, yes, WeightFailure),
		hc(configOperator, yes, WeightFailure),
		withWorkers(hc(dataPlaneConnection, yes, WeightFailure)),
		withWorkers(hc(hyperv1.ClusterVersionReleaseAccepted, yes, WeightFailure)),
		withWorkers(hc(hyperv1.ClusterVersionSucceeding, yes, WeightFailure)),
		withWorkers(hc(hyperv1.ClusterVersionAvailable, yes, WeightFailure)),
		hc(hyperv1.HostedClusterProgressing, no, WeightProgress),
		withWorkers(hc(hyperv1.ClusterVersionProgressing, no, WeightProgress)),
		hc(hyperv1.EtcdRecoveryActive, no, WeightProgress),
		// These are about the infrastructure's MTU, which costs speed, and a volume that only one node can use, which
		// prevents live migration.
		hc(hyperv1.ValidKubeVirtInfraNetworkMTU, yes, WeightAdvice),
		hc(hyperv1.KubeVirtNodesLiveMigratable, yes, WeightAdvice),
		later(hc(hyperv1.ClusterVersionUpgradeable, yes, WeightAdvice)),
		hc(hyperv1.ValidIDPConfiguration, yes, WeightAdvice),
		hc(validProxy, yes, WeightAdvice),
		hc(infraNetworkPolicyRBAC, yes, WeightAdvice),
		// It names images that only a newer operator knows. Working control planes have it too.
		later(hc(hyperv1.ValidReleaseInfo, yes, WeightAdvice)),
		// It is Unknown without external DNS, which says nothing.
		hc(hyperv1.ExternalDNSReachable, yes, WeightAdvice),
		hc(hyperv1.ReconciliationActive, yes, WeightAdvice),

		np(hyperv1.NodePoolValidReleaseImageConditionType, yes, WeightFailure),
		np(hyperv1.NodePoolValidArchPlatform, yes, WeightFailure),
		np(hyperv1.NodePoolSupportedVersionSkewConditionType, yes, WeightFailure),
		np(hyperv1.NodePoolValidPlatformImageType, yes, WeightFailure),
		np(hyperv1.NodePoolValidPlatformConfigConditionType, yes, WeightFailure),
		np(hyperv1.NodePoolValidMachineTemplateConditionType, yes, WeightFailure),
		np(hyperv1.NodePoolValidMachineConfigConditionType, yes, WeightFailure),
		np(hyperv1.NodePoolValidTuningConfigConditionType, yes, WeightFailure),
		np(hyperv1.NodePoolValidGeneratedPayloadConditionType, yes, WeightFailure),
		np(ignitionEndpointAvailable, yes, WeightFailure),
		np(hyperv1.NodePoolUpdateManagementEnabledConditionType, yes, WeightFailure),
		withWorkers(np(hyperv1.NodePoolReachedIgnitionEndpoint, yes, WeightProgress)),
		withWorkers(np(hyperv1.NodePoolAllMachinesReadyConditionType, yes, WeightProgress)),
		withWorkers(np(hyperv1.NodePoolAllNodesHealthyConditionType, yes, WeightProgress)),
		withWorkers(np(hyperv1.NodePoolReadyConditionType, yes, WeightProgress)),
		withWorkers(np(hyperv1.NodePoolUpdatingVersionConditionType, no, WeightProgress)),
		withWorkers(np(hyperv1.NodePoolUpdatingConfigConditionType, no, WeightProgress)),
		withWorkers(np(hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType, no, WeightProgress)),
		// MCE 2.11 reports this without a conflict on KubeVirt (openshift/hypershift issue 8229).
		noting(
			"on multicluster engine 2.11 this is known to be a false alarm: the nodes of KubeVirt share the management "+
				"cluster's network",
			np(hyperv1.NodePoolClusterNetworkCIDRConflictType, no, WeightAdvice),
		),
		// The HostedCluster's KubeVirtNodesLiveMigratable summarises it.
		later(np(hyperv1.NodePoolKubeVirtLiveMigratableType, yes, WeightAdvice)),
		np(hyperv1.NodePoolReconciliationActiveConditionType, yes, WeightAdvice),
	}
}

// EvaluatedCondition is a reported and known condition with its meaning.
type EvaluatedCondition struct {
	kube.Condition
	// Good is whether it has the expected status.
	Good bool
	// Weight is its meaning if it does not.
	Weight Weight
	// Terminal is whether waiting does not help.
	Terminal bool
	// Hint says what a person can do; it may be empty.
	Hint string

	expectation expectation
}

// Evaluate compares the reported conditions with the expected ones, causes first. Without workers it leaves out the
// conditions that need them, and always those of which nothing is known: Unknown advice, and outdated good ones.
func (r Conditions) Evaluate(workers bool) []EvaluatedCondition {
	var out []EvaluatedCondition
	for _, e := range expectations() {
		c := kube.FindCondition(r.List, e.condition)
		switch {
		case e.kind != r.kind, c.Status == "", e.workers && !workers:
			continue
		case c.Reason == noWorkers && !workers:
			continue
		}
		j := EvaluatedCondition{Condition: c, Good: c.Status == string(e.good), Weight: e.weight, expectation: e}
		if j.Good && r.outdated(c) || e.weight == WeightAdvice && c.Status == string(metav1.ConditionUnknown) {
			continue
		}
		over, _ := terminal(r.kind, c)
		j.Terminal = c.False() && over && !r.outdated(c)
		if c.Reason == hyperv1.BlockedReason || c.Reason == hyperv1.NodePoolInplaceUpgradeFailedReason && c.False() {
			// The operator is blocked, or its upgrade has failed: the condition is False then, which otherwise is good.
			j.Good, j.Weight = false, WeightFailure
		}
		if j.Good = j.Good && !j.Terminal; !j.Good {
			if j.Hint = r.hint(c); j.Hint == "" && j.Weight == WeightFailure {
				j.Hint = "hcctl explain " + e.condition + " says what it means, and where to look"
			}
		}
		out = append(out, j)
	}
	return out
}

// advice returns what the operators report that does not keep the cluster from working, for the end of a create.
func (r Conditions) advice() []string {
	var messages []string
	for _, j := range r.Evaluate(true) {
		if j.Good || j.Weight != WeightAdvice || j.expectation.notInAdvice {
			continue
		}
		words := j.Describe()
		if note := j.expectation.note; note != "" {
			words += " (" + note + ")"
		}
		messages = append(messages, words)
	}
	return messages
}
