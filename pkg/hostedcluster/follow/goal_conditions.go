package follow

import (
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// CheckClusterConditions refuses goals with a mistyped condition, an *options.Error of the flag "for". It returns the
// conditions that the hosted cluster does not have and this hcctl does not know: a newer HyperShift may.
func CheckClusterConditions(hc *hyperv1.HostedCluster, goals []Goal) (unknown []string, err error) {
	has := make([]string, 0, len(hc.Status.Conditions))
	for _, c := range hc.Status.Conditions {
		has = append(has, c.Type)
	}
	return checkConditions(goals, "clusters", has, clusterConditionTypes())
}

// CheckPoolConditions is CheckClusterConditions for a NodePool.
func CheckPoolConditions(np *hyperv1.NodePool, goals []Goal) (unknown []string, err error) {
	has := make([]string, 0, len(np.Status.Conditions))
	for _, c := range np.Status.Conditions {
		has = append(has, c.Type)
	}
	return checkConditions(goals, "nodepools", has, poolConditionTypes())
}

func checkConditions(goals []Goal, list string, has, known []string) (unknown []string, err error) {
	for _, g := range goals {
		if g.Condition == "" || slices.Contains(has, g.Condition) || slices.Contains(known, g.Condition) {
			continue
		}
		all := slices.Concat(has, known)
		slices.Sort(all)
		if near := suggest.Words(g.Condition, slices.Compact(all)); len(near) > 0 {
			return nil, &options.Error{Field: "for", Value: strings.TrimSuffix(g.String(), "=True"),
				Detail: fmt.Sprintf("there is no condition %q; did you mean %s?", g.Condition, strings.Join(near, " or ")),
				Next:   "hcctl get " + list + " -o yaml shows the conditions"}
		}
		unknown = append(unknown, g.Condition)
	}
	return unknown, nil
}

// clusterConditionTypes are the conditions of HostedClusters on KubeVirt, and those of every platform.
func clusterConditionTypes() []string {
	var out []string
	for _, t := range []hyperv1.ConditionType{
		hyperv1.HostedClusterAvailable, hyperv1.HostedClusterProgressing, hyperv1.HostedClusterDegraded,
		hyperv1.InfrastructureReady, hyperv1.KubeAPIServerAvailable, hyperv1.EtcdAvailable,
		hyperv1.ValidHostedControlPlaneConfiguration, hyperv1.CloudResourcesDestroyed, hyperv1.HostedClusterDestroyed,
		hyperv1.ExternalDNSReachable, hyperv1.ValidReleaseInfo, hyperv1.ClusterVersionSucceeding,
		hyperv1.ClusterVersionUpgradeable, hyperv1.ClusterVersionFailing, hyperv1.ClusterVersionProgressing,
		hyperv1.ClusterVersionAvailable, hyperv1.ClusterVersionReleaseAccepted, hyperv1.ClusterVersionRetrievedUpdates,
		hyperv1.UnmanagedEtcdAvailable, hyperv1.IgnitionEndpointAvailable, hyperv1.IgnitionServerValidReleaseInfo,
		hyperv1.ValidHostedClusterConfiguration, hyperv1.SupportedHostedCluster, hyperv1.ValidOIDCConfiguration,
		hyperv1.ValidReleaseImage, hyperv1.ValidKubeVirtInfraNetworkMTU, hyperv1.KubeVirtNodesLiveMigratable,
		hyperv1.PlatformCredentialsFound, hyperv1.ReconciliationActive, hyperv1.ReconciliationSucceeded,
		hyperv1.EtcdRecoveryActive,
	} {
		out = append(out, string(t))
	}
	return out
}

// poolConditionTypes are the conditions of NodePools on KubeVirt, and those of every platform.
func poolConditionTypes() []string {
	return []string{
		hyperv1.NodePoolValidGeneratedPayloadConditionType, hyperv1.NodePoolValidPlatformImageType,
		hyperv1.NodePoolValidReleaseImageConditionType, hyperv1.NodePoolValidMachineConfigConditionType,
		hyperv1.NodePoolValidTuningConfigConditionType, hyperv1.NodePoolSupportedVersionSkewConditionType,
		hyperv1.NodePoolValidPlatformConfigConditionType, hyperv1.NodePoolUpdateManagementEnabledConditionType,
		hyperv1.NodePoolAutoscalingEnabledConditionType, hyperv1.NodePoolAutorepairEnabledConditionType,
		hyperv1.NodePoolUpdatingVersionConditionType, hyperv1.NodePoolUpdatingConfigConditionType,
		hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType, hyperv1.NodePoolReadyConditionType,
		hyperv1.NodePoolAllMachinesReadyConditionType, hyperv1.NodePoolAllNodesHealthyConditionType,
		hyperv1.NodePoolReconciliationActiveConditionType, hyperv1.NodePoolReachedIgnitionEndpoint,
		hyperv1.NodePoolValidMachineTemplateConditionType, hyperv1.NodePoolClusterNetworkCIDRConflictType,
		hyperv1.NodePoolKubeVirtLiveMigratableType,
	}
}
