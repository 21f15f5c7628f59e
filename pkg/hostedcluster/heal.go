package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// healing is what a condition's reason means for somebody who waits.
type healing struct {
	// kind is HostedCluster or NodePool.
	kind string
	// condition and reason are matched exactly; an empty reason matches every reason of that condition.
	condition, reason string
	// heals is whether the operator tries again, so that what it misses may still come.
	heals bool
	// hint is what a person can do about it.
	hint string
}

const (
	hostedClusterKind = "HostedCluster"
	nodePoolKind      = "NodePool"
)

// healings is the one place that knows which bad conditions heal by themselves and which do not. A condition or reason that is not
// here heals: a newer operator's unknown word must never end a create that would have succeeded.
//
// The facts are from HyperShift's operators (main, August 2026) and what they were seen to write: an unhealthy status is repeated on
// each reconcile, which an error retries with a backoff, except where the operator returns without an error or where the field to
// change is immutable.
func healings() []healing {
	return []healing{
		// The release is outside what the operator supports, or not a release. It returns without asking for another try.
		{hostedClusterKind, string(hyperv1.ValidReleaseImage), hyperv1.InvalidImageReason, false,
			"the operator does not try again: hcctl delete cluster NAME, then create it with a --release-image the operator supports (ConfigMap hypershift/supported-versions)"},
		// The registry does not answer, or refuses. Tried again.
		{hostedClusterKind, string(hyperv1.ValidReleaseImage), hyperv1.PayloadArchNotFoundReason, true,
			"the operator keeps trying: can the management cluster reach that registry, and does the pull secret have credentials for it?"},
		// Tried again: the Secret may still come.
		{hostedClusterKind, string(hyperv1.ValidReleaseImage), hyperv1.SecretNotFoundReason, true,
			"the Secret with the cluster's pull secret is missing: run hcctl create cluster again to have it written"},
		// An aggregate of many checks, retried: an operator still starting, a missing API, a wrong field alike.
		{hostedClusterKind, string(hyperv1.ValidHostedClusterConfiguration), hyperv1.InvalidConfigurationReason, true,
			"the operator keeps trying; if it is OpenShift Virtualization that is missing, hcctl check says why"},
		// The operator's own configuration does not allow such a cluster. It returns without asking for another try.
		{hostedClusterKind, string(hyperv1.SupportedHostedCluster), hyperv1.UnsupportedHostedClusterReason, false,
			"the HyperShift operator is not configured for such a cluster: hcctl check, and the Deployment hypershift/operator"},
		// The operator decides this by what kinds the management cluster knows, which may still be coming.
		{hostedClusterKind, string(hyperv1.ValidHostedControlPlaneConfiguration), hyperv1.InsufficientClusterCapabilitiesReason, true,
			"the management cluster lacks an API the control plane needs"},
		{hostedClusterKind, string(hyperv1.PlatformCredentialsFound), hyperv1.PlatformCredentialsNotFoundReason, true, ""},
		// A paused cluster goes on when spec.pausedUntil has passed or is removed.
		{hostedClusterKind, string(hyperv1.ReconciliationActive), hyperv1.ReconciliationPausedConditionReason, true,
			"spec.pausedUntil of the HostedCluster is set: nothing goes on before it has passed or is removed"},
		{hostedClusterKind, string(hyperv1.InfrastructureReady), hyperv1.WaitingOnInfrastructureReadyReason, true,
			"is an address free for the API server? hcctl check, and: oc get ipaddresspools.metallb.io -A"},
		{hostedClusterKind, string(hyperv1.InfrastructureReady), hyperv1.InfraStatusFailureReason, true, ""},
		{hostedClusterKind, string(hyperv1.EtcdAvailable), hyperv1.EtcdWaitingForQuorumReason, true,
			"do etcd's volume claims get volumes, and are there three nodes for its pods?"},
		// The recovery job ran out of attempts.
		{hostedClusterKind, string(hyperv1.EtcdRecoveryActive), hyperv1.EtcdRecoveryJobFailedReason, false,
			"etcd could not be recovered: see the Job etcd-recovery in the control plane's namespace"},
		{hostedClusterKind, string(hyperv1.HostedClusterAvailable), hyperv1.KASLoadBalancerNotReachableReason, true,
			"the operator itself cannot reach the API server's address: is it announced in the network of the nodes?"},
		{hostedClusterKind, string(hyperv1.HostedClusterProgressing), hyperv1.BlockedReason, true, ""},

		// Also said, with an error that is retried, while the HostedCluster's own architecture is not known yet.
		{nodePoolKind, hyperv1.NodePoolValidArchPlatform, hyperv1.NodePoolInvalidArchPlatform, true, ""},
		// The VM cannot be described from the release and the annotations as they are; only an edit helps.
		{nodePoolKind, hyperv1.NodePoolValidMachineTemplateConditionType, hyperv1.InvalidKubevirtMachineTemplate, false,
			"if the annotation hypershift.openshift.io/kubevirt-vm-jsonpatch is set on the HostedCluster or NodePool, correct it"},
		// Looked up again with each reconcile; the reason is the same for a registry that is away and a release that is wrong.
		{nodePoolKind, hyperv1.NodePoolValidReleaseImageConditionType, hyperv1.NodePoolValidationFailedReason, true, ""},
		// Seen to pass while the control plane's own configuration was not complete yet.
		{nodePoolKind, hyperv1.NodePoolValidMachineConfigConditionType, hyperv1.NodePoolValidationFailedReason, true, ""},
		{nodePoolKind, hyperv1.NodePoolReachedIgnitionEndpoint, hyperv1.IgnitionNotReached, true,
			"can the VMs reach the Routes of the management cluster (*.apps, port 443)?"},
	}
}

// heals tells whether a bad condition may turn by itself, and what a person can do about it.
func heals(kind string, c kube.Condition) (bool, string) {
	for _, h := range healings() {
		if h.kind == kind && h.condition == c.Type && (h.reason == "" || h.reason == c.Reason) {
			return h.heals, h.hint
		}
	}
	return true, ""
}
