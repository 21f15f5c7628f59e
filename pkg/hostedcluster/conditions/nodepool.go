package conditions

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// nodePool returns the conditions of a NodePool, causes before consequences.
func nodePool() []Row {
	// The condition is False then, as without an upgrade, so the reason decides (4.12 to 5.1).
	inPlaceFailed := []Reason{{Reason: hyperv1.NodePoolInplaceUpgradeFailedReason, Terminal: true, Bad: true,
		Means: "An upgrade in place has stopped: the machine config daemon of a node reports an error. The message names " +
			"the node.",
		Hint: hint.New("the other nodes wait for that one: %s, and the log of its machine config daemon; the upgrade "+
			"goes on once the node is no longer degraded", hint.Run("exec", "NAME", "--", "oc", "describe", "node", "NODE"))}}
	return ofKind(hostedcluster.NodePoolKind, []Row{
		{Type: hyperv1.NodePoolValidReleaseImageConditionType, Good: yes, Bad: step.StateFailing, Root: true,
			Means: "The operator could read the node pool's release image.",
			Look:  operator,
			Reasons: []Reason{{Reason: hyperv1.NodePoolValidationFailedReason,
				Means: "The operator could not read the release, or it is a wrong one: the reason is the same for both."}}},
		{Type: hyperv1.NodePoolValidArchPlatform, Good: yes, Bad: step.StateFailing, Root: true,
			Means: "The platform has nodes of that architecture.",
			Look:  hint.Run("check").Flag("only", "cluster/architecture").String(),
			Reasons: []Reason{{Reason: hyperv1.NodePoolInvalidArchPlatform,
				Means: "The platform has no nodes of that architecture. The operator says so, too, before it knows that of the " +
					"HostedCluster."}}},
		{Type: hyperv1.NodePoolSupportedVersionSkewConditionType, Good: yes, Bad: step.StateFailing,
			Means: "The nodes' version is near enough to the control plane's.",
			Look:  "hcctl upgrade nodepool NAME"},
		{Type: hyperv1.NodePoolValidPlatformImageType, Good: yes, Bad: step.StateFailing,
			Means: "The release names a disk image for the VMs.",
			Look:  operator},
		{Type: hyperv1.NodePoolValidPlatformConfigConditionType, Good: yes, Bad: step.StateFailing, Root: true,
			Means: "The node pool's platform fields are valid.",
			Look:  "the condition's message"},
		{Type: hyperv1.NodePoolValidMachineTemplateConditionType, Good: yes, Bad: step.StateFailing, Root: true,
			Means: "The operator could make the template of the worker VMs.",
			Look:  "the annotation hypershift.openshift.io/kubevirt-vm-jsonpatch",
			Reasons: []Reason{{Reason: hyperv1.InvalidKubevirtMachineTemplate, Terminal: true,
				Means: "The release and the annotations do not make a valid VM. Only an edit helps.",
				Hint: hint.New("if the annotation hypershift.openshift.io/kubevirt-vm-jsonpatch is set on the HostedCluster or " +
					"NodePool, correct it")}}},
		{Type: hyperv1.NodePoolValidMachineConfigConditionType, Good: yes, Bad: step.StateFailing, Root: true,
			Means: "The MachineConfigs of the node pool are valid.",
			Look:  "the ConfigMaps that spec.config names",
			Reasons: []Reason{{Reason: hyperv1.NodePoolValidationFailedReason,
				Means: "The configuration of the nodes could not be put together. It passes where the control plane's was " +
					"incomplete."}}},
		{Type: hyperv1.NodePoolValidTuningConfigConditionType, Good: yes, Bad: step.StateFailing, Root: true,
			Means: "The tuning configuration of the node pool is valid.",
			Look:  "the ConfigMaps that spec.tuningConfig names"},
		{Type: hyperv1.NodePoolValidGeneratedPayloadConditionType, Good: yes, Bad: step.StateFailing,
			Means: "The ignition server could make the nodes' configuration.",
			Look:  "hcctl logs NAME ignition-server"},
		{Type: NodePoolIgnitionEndpointAvailable, Good: yes, Bad: step.StateFailing,
			Means: "The control plane's ignition server is known to the node pool.",
			Look:  "hcctl logs NAME ignition-server"},
		{Type: hyperv1.NodePoolUpdateManagementEnabledConditionType, Good: yes, Bad: step.StateFailing,
			Means: "The settings for replacing nodes are valid.",
			Look:  "spec.management of the NodePool"},
		{Type: hyperv1.NodePoolReachedIgnitionEndpoint, Good: yes, Bad: step.StatePending, Workers: true, Root: true,
			Means: "A VM has fetched its configuration from the ignition server.",
			Look:  "the way from the VMs to the Routes of the management cluster (*.apps, port 443)",
			Reasons: []Reason{{Reason: hyperv1.IgnitionNotReached,
				Means: "No VM has asked for its configuration yet.",
				Hint: hint.New("the VMs have to reach the Routes of the management cluster (*.apps, port 443): %s shows who "+
					"asked", hint.Run("logs", "NAME", "ignition-server"))}}},
		{Type: hyperv1.NodePoolAllMachinesReadyConditionType, Good: yes, Bad: step.StatePending, Workers: true,
			Means: "Every worker VM runs.",
			Look:  machines},
		{Type: hyperv1.NodePoolAllNodesHealthyConditionType, Good: yes, Bad: step.StatePending, Workers: true,
			Means: "Every node is Ready.",
			Look:  hint.Run("exec", "NAME", "--", "oc", "get", "nodes").String()},
		{Type: hyperv1.NodePoolReadyConditionType, Good: yes, Bad: step.StatePending, Workers: true,
			Means: "The node pool has as many ready nodes as it wants.",
			Look:  machines},
		{Type: hyperv1.NodePoolUpdatingVersionConditionType, Good: no, Bad: step.StatePending, Workers: true,
			Means:   "The nodes are being replaced for another version.",
			Look:    machines,
			Reasons: inPlaceFailed},
		{Type: hyperv1.NodePoolUpdatingConfigConditionType, Good: no, Bad: step.StatePending, Workers: true,
			Means:   "The nodes are being replaced for another configuration.",
			Look:    machines,
			Reasons: inPlaceFailed},
		{Type: hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType, Good: no, Bad: step.StatePending,
			Workers: true,
			Means:   "The nodes are being replaced for another machine template.",
			Look:    machines},
		// MCE 2.11 reports this without a conflict on KubeVirt (openshift/hypershift issue 8229).
		{Type: hyperv1.NodePoolClusterNetworkCIDRConflictType, Good: no, Bad: step.StateWarning,
			Note: "on multicluster engine 2.11, and with releases that have its change, this is known to be a false alarm: " +
				"the nodes of KubeVirt share the management " +
				"cluster's network",
			Means: "A network of the hosted cluster overlaps with the address of a machine.",
			Look:  hint.Run("check").Flag("only", "cluster/guest-networks").String()},
		// The HostedCluster's KubeVirtNodesLiveMigratable summarizes it.
		{Type: hyperv1.NodePoolKubeVirtLiveMigratableType, Good: yes, Bad: step.StateWarning, Late: true,
			Means: "Every worker VM of the pool can move to another node while it runs.",
			Look:  hint.Run("check").Flag("only", "storage/live-migration").String()},
		{Type: hyperv1.NodePoolReconciliationActiveConditionType, Good: yes, Bad: step.StateWarning, Root: true,
			Means: "The operator works on the node pool; it is not paused.",
			Look:  "hcctl resume NAME"},

		// These are reported and not judged: they do not describe health, or belong to other platforms.
		{Type: hyperv1.NodePoolAutoscalingEnabledConditionType},
		{Type: hyperv1.NodePoolAutorepairEnabledConditionType},
		{Type: hyperv1.NodePoolAWSSecurityGroupAvailableConditionType, Rare: true},
		{Type: "AWSResourceTagConflict", Rare: true},
		{Type: hyperv1.NodePoolPerformanceProfileTuningAvailableConditionType, Rare: true},
		{Type: hyperv1.NodePoolPerformanceProfileTuningProgressingConditionType, Rare: true},
		{Type: hyperv1.NodePoolPerformanceProfileTuningUpgradeableConditionType, Rare: true},
		{Type: hyperv1.NodePoolPerformanceProfileTuningDegradedConditionType, Rare: true},
	})
}

// NodePoolIgnitionEndpointAvailable is a condition for which the API module has a constant only for HostedClusters.
const NodePoolIgnitionEndpointAvailable = string(hyperv1.IgnitionEndpointAvailable)
