package follow

import (
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// knownCondition says what a bad condition means for a wait: it may pass, or it is terminal.
type knownCondition struct {
	// kind is HostedCluster or NodePool.
	kind string
	// condition and reason are matched exactly; an empty reason matches every reason of that condition.
	condition, reason string
	// terminal is whether waiting does not help, because the operator does not retry.
	terminal bool
	// hint says what a person can do.
	hint string
}

// knownConditions is the only list of which bad conditions are terminal. An unlisted one may pass, so that a new word
// of a newer operator never ends a create that would have succeeded.
//
// Source: HyperShift's operators (main, August 2026) and what they were seen to write. They retry with a backoff,
// except where they return without an error or the field is immutable.
func knownConditions() []knownCondition {
	return []knownCondition{
		// The release is not supported, or not a release. The operator does not retry.
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.ValidReleaseImage),
			hyperv1.InvalidImageReason,
			true,
			"the operator does not try again: hcctl delete cluster NAME, then create it with a --release-image the operator " +
				"supports (ConfigMap hypershift/supported-versions)",
		},
		// The registry does not answer, or refuses. The operator retries.
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.ValidReleaseImage),
			hyperv1.PayloadArchNotFoundReason,
			false,
			"the operator keeps trying: hcctl check --only cluster/pull-secret looks for credentials, and hcctl logs NAME " +
				"hypershift-operator has the registry's answer",
		},
		// The operator retries: the Secret may still come.
		{hostedcluster.HostedClusterKind, string(hyperv1.ValidReleaseImage), hyperv1.SecretNotFoundReason, false,
			"the Secret with the cluster's pull secret is missing: run hcctl create cluster again to have it written"},
		// One condition for many checks, which the operator retries: an operator that starts, a missing API, a wrong field.
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.ValidHostedClusterConfiguration),
			hyperv1.InvalidConfigurationReason,
			false,
			"the operator keeps trying; if it is OpenShift Virtualization that is missing, hcctl check says why",
		},
		// The operator's own configuration does not allow such a cluster. It does not retry.
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.SupportedHostedCluster),
			hyperv1.UnsupportedHostedClusterReason,
			true,
			"the HyperShift operator is not configured for such a cluster: hcctl check, and the Deployment hypershift/operator",
		},
		// The operator checks which kinds the management cluster has. They may still come.
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.ValidHostedControlPlaneConfiguration),
			hyperv1.InsufficientClusterCapabilitiesReason,
			false,
			"the management cluster lacks an API the control plane needs",
		},
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.PlatformCredentialsFound),
			hyperv1.PlatformCredentialsNotFoundReason,
			false,
			"",
		},
		// A paused cluster continues when spec.pausedUntil has passed or is removed.
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.ReconciliationActive),
			hyperv1.ReconciliationPausedConditionReason,
			false,
			"spec.pausedUntil of the HostedCluster is set: nothing happens before it has passed or is removed",
		},
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.InfrastructureReady),
			hyperv1.WaitingOnInfrastructureReadyReason,
			false,
			"hcctl check --only load-balancer says whether an address is free for the API server",
		},
		{hostedcluster.HostedClusterKind, string(hyperv1.InfrastructureReady), hyperv1.InfraStatusFailureReason, false, ""},
		{hostedcluster.HostedClusterKind, string(hyperv1.EtcdAvailable), hyperv1.EtcdWaitingForQuorumReason, false,
			"hcctl events NAME says whether its volume claims get volumes and its pods nodes"},
		// The recovery job ran out of attempts.
		{hostedcluster.HostedClusterKind, string(hyperv1.EtcdRecoveryActive), hyperv1.EtcdRecoveryJobFailedReason, true,
			"etcd could not be recovered: see the Job etcd-recovery in the control plane's namespace"},
		{
			hostedcluster.HostedClusterKind,
			string(hyperv1.HostedClusterAvailable),
			hyperv1.KASLoadBalancerNotReachableReason,
			false,
			"the operator itself cannot reach the API server's address: hcctl check --only load-balancer says whether it is " +
				"announced in the network of the nodes",
		},
		{hostedcluster.HostedClusterKind, string(hyperv1.HostedClusterProgressing), hyperv1.BlockedReason, false, ""},

		// The operator also reports this, with a retried error, before it knows the HostedCluster's architecture.
		{hostedcluster.NodePoolKind, hyperv1.NodePoolValidArchPlatform, hyperv1.NodePoolInvalidArchPlatform, false, ""},
		// The release and the annotations do not make a valid VM. Only an edit helps.
		{
			hostedcluster.NodePoolKind,
			hyperv1.NodePoolValidMachineTemplateConditionType,
			hyperv1.InvalidKubevirtMachineTemplate,
			true,
			"if the annotation hypershift.openshift.io/kubevirt-vm-jsonpatch is set on the HostedCluster or " +
				"NodePool, correct it",
		},
		// The operator retries. The reason is the same for an unreachable registry and a wrong release.
		{
			hostedcluster.NodePoolKind,
			hyperv1.NodePoolValidReleaseImageConditionType,
			hyperv1.NodePoolValidationFailedReason,
			false,
			"",
		},
		// This was seen to pass while the control plane's configuration was incomplete.
		{
			hostedcluster.NodePoolKind,
			hyperv1.NodePoolValidMachineConfigConditionType,
			hyperv1.NodePoolValidationFailedReason,
			false,
			"",
		},
		{hostedcluster.NodePoolKind, hyperv1.NodePoolReachedIgnitionEndpoint, hyperv1.IgnitionNotReached, false,
			"the VMs have to reach the Routes of the management cluster (*.apps, port 443): hcctl logs NAME " +
				"ignition-server shows who asked"},
	}
}

// knownMessage is part of a condition's message that says more than its reason.
type knownMessage struct{ part, hint string }

// lookupFailed begins the message of InvalidImage if the release image could not be read, which the operator retries.
const lookupFailed = "failed to lookup release image"

// knownMessages are HyperShift's (main, August 2026; the registry's also v0.1.70), about a HostedCluster or a NodePool.
func knownMessages() []knownMessage {
	const registry = "the operator keeps trying: hcctl check --only cluster/pull-secret looks for credentials, and " +
		"hcctl logs NAME hypershift-operator has the registry's answer"
	return []knownMessage{
		// Where the operator reads the release before it looks at its validity, no other condition tells of the registry.
		{"manifest unknown", "the registry has no such image, and the operator keeps trying: it may still be mirrored " +
			"there; if its name is wrong, correct spec.release.image"},
		{"failed to obtain root manifest for", registry},
		{"failed to create repository client for", registry},
		// Part of InfrastructureReady, beside load balancers: no router has given the Route a host.
		{"route does not contain valid host", "the Route has no host: hcctl check --only ingress says whether the " +
			"management cluster's default ingress controller is available and admits Routes of that namespace"},
		// A KubeVirt cluster without a base domain gets it from the host of a Route that the operator creates for that.
		{"unable to autodetect kubevirt platform base domain", "the management cluster gives no host to the operator's " +
			"Route: hcctl check --only ingress says whether its default ingress controller is available; or give --base-domain"},
	}
}

// hint says what a person can do about a bad condition; it may be empty.
func (r Conditions) hint(c kube.Condition) string {
	for _, k := range knownMessages() {
		if strings.Contains(c.Message, k.part) {
			return r.fillHint(k.hint)
		}
	}
	if c.Type == hyperv1.NodePoolReachedIgnitionEndpoint && !r.machinesRun() {
		return "" // no VM runs yet that could have asked for its ignition
	}
	_, hint := terminal(r.kind, c)
	return r.fillHint(hint)
}

// machinesRun reports whether all VMs of a NodePool run. Before that none can have asked for its ignition.
func (r Conditions) machinesRun() bool {
	return r.Get(hyperv1.NodePoolAllMachinesReadyConditionType).True()
}

// terminal reports whether waiting does not change a bad condition, and what a person can do.
func terminal(kind string, c kube.Condition) (bool, string) {
	if c.Reason == hyperv1.InvalidImageReason && strings.HasPrefix(c.Message, lookupFailed) {
		c.Reason = hyperv1.PayloadArchNotFoundReason
	}
	for _, k := range knownConditions() {
		if k.kind == kind && k.condition == c.Type && (k.reason == "" || k.reason == c.Reason) {
			return k.terminal, k.hint
		}
	}
	return false, ""
}
