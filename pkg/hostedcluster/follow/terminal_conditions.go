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
	// means is what the operator found when it writes that reason.
	means string
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
	hc := func(t hyperv1.ConditionType, reason, means, hint string) knownCondition {
		return knownCondition{hostedcluster.HostedClusterKind, string(t), reason, means, false, hint}
	}
	np := func(t, reason, means, hint string) knownCondition {
		return knownCondition{hostedcluster.NodePoolKind, t, reason, means, false, hint}
	}
	final := func(k knownCondition) knownCondition { k.terminal = true; return k }
	// The condition is False then, as if there were no upgrade: the reason decides (4.12 to 5.1).
	inPlaceFailed := func(condition string) knownCondition {
		return final(np(condition, hyperv1.NodePoolInplaceUpgradeFailedReason,
			"An upgrade in place has stopped: the machine config daemon of a node reports an error. The message names the node.",
			"the other nodes wait for that one: hcctl exec NAME -- oc describe node NODE, and the log of its machine config "+
				"daemon; the upgrade goes on once the node is no longer degraded"))
	}
	return []knownCondition{
		final(hc(hyperv1.ValidReleaseImage, hyperv1.InvalidImageReason,
			"The operator does not support the version of the release image, or it is not a release.",
			"the operator does not try again: hcctl delete cluster NAME, then create it with a --release-image the operator "+
				"supports (ConfigMap hypershift/supported-versions)")),
		hc(hyperv1.ValidReleaseImage, hyperv1.PayloadArchNotFoundReason,
			"The operator could not read the release image: the registry does not answer, or refuses.",
			"the operator keeps trying: hcctl check --only cluster/pull-secret looks for credentials, and hcctl logs NAME "+
				"hypershift-operator has the registry's answer"),
		hc(hyperv1.ValidReleaseImage, hyperv1.SecretNotFoundReason,
			"The Secret that spec.pullSecret names is missing.",
			"the Secret with the cluster's pull secret is missing: run hcctl create cluster again to have it written"),
		hc(hyperv1.ValidHostedClusterConfiguration, hyperv1.InvalidConfigurationReason,
			"One of many checks failed; the message says which: an operator that starts, a missing API, a wrong field.",
			"the operator keeps trying; if it is OpenShift Virtualization that is missing, hcctl check says why"),
		final(hc(hyperv1.SupportedHostedCluster, hyperv1.UnsupportedHostedClusterReason,
			"The operator's own configuration does not allow such a cluster.",
			"the HyperShift operator is not configured for such a cluster: hcctl check, and the Deployment "+
				"hypershift/operator")),
		hc(hyperv1.ValidHostedControlPlaneConfiguration, hyperv1.InsufficientClusterCapabilitiesReason,
			"The management cluster does not have all kinds that the control plane needs. They may still come.",
			"the management cluster lacks an API the control plane needs"),
		hc(hyperv1.PlatformCredentialsFound, hyperv1.PlatformCredentialsNotFoundReason,
			"The operator could not write or read the Secrets for the infrastructure.", ""),
		hc(hyperv1.ReconciliationActive, hyperv1.ReconciliationPausedConditionReason,
			"The cluster is paused. It continues when spec.pausedUntil has passed or is removed.",
			"spec.pausedUntil of the HostedCluster is set: nothing happens before it has passed or is removed"),
		hc(hyperv1.InfrastructureReady, hyperv1.WaitingOnInfrastructureReadyReason,
			"A Service of the control plane has no load balancer address yet, or a Route no host.",
			"hcctl check --only load-balancer says whether an address is free for the API server"),
		hc(hyperv1.InfrastructureReady, hyperv1.InfraStatusFailureReason,
			"The control plane operator could not read the Services and Routes of the control plane.", ""),
		hc(hyperv1.EtcdAvailable, hyperv1.EtcdWaitingForQuorumReason,
			"Fewer pods of etcd are ready than a quorum needs.",
			"hcctl events NAME says whether its volume claims get volumes and its pods nodes"),
		final(hc(hyperv1.EtcdRecoveryActive, hyperv1.EtcdRecoveryJobFailedReason,
			"The job that repairs etcd has run out of attempts.",
			"etcd could not be recovered: see the Job etcd-recovery in the control plane's namespace")),
		hc(hyperv1.HostedClusterAvailable, hyperv1.KASLoadBalancerNotReachableReason,
			"The API server runs, and does not answer at its address.",
			"the operator itself cannot reach the API server's address: hcctl check --only load-balancer says whether it is "+
				"announced in the network of the nodes"),
		hc(hyperv1.HostedClusterProgressing, hyperv1.BlockedReason,
			"Another condition keeps the operator from working on the cluster; the message says which.", ""),

		np(hyperv1.NodePoolValidArchPlatform, hyperv1.NodePoolInvalidArchPlatform,
			"The platform has no nodes of that architecture. The operator says so, too, before it knows that of the "+
				"HostedCluster.", ""),
		final(np(hyperv1.NodePoolValidMachineTemplateConditionType, hyperv1.InvalidKubevirtMachineTemplate,
			"The release and the annotations do not make a valid VM. Only an edit helps.",
			"if the annotation hypershift.openshift.io/kubevirt-vm-jsonpatch is set on the HostedCluster or "+
				"NodePool, correct it")),
		np(hyperv1.NodePoolValidReleaseImageConditionType, hyperv1.NodePoolValidationFailedReason,
			"The operator could not read the release, or it is a wrong one: the reason is the same for both.", ""),
		np(hyperv1.NodePoolValidMachineConfigConditionType, hyperv1.NodePoolValidationFailedReason,
			"The configuration of the nodes could not be put together. It passes where the control plane's was incomplete.",
			""),
		inPlaceFailed(hyperv1.NodePoolUpdatingVersionConditionType),
		inPlaceFailed(hyperv1.NodePoolUpdatingConfigConditionType),
		np(hyperv1.NodePoolReachedIgnitionEndpoint, hyperv1.IgnitionNotReached,
			"No VM has asked for its configuration yet.",
			"the VMs have to reach the Routes of the management cluster (*.apps, port 443): hcctl logs NAME "+
				"ignition-server shows who asked"),
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
