package prereq

import "github.com/hcctl/hcctl/pkg/step"

// The steps that steps of other groups need, and those that other removals wait for.
const (
	ClusterVersion       step.ID = "cluster/version"
	ClusterPlatform      step.ID = "cluster/platform"
	ClusterTopology      step.ID = "cluster/topology"
	ClusterPermissions   step.ID = "cluster/permissions"
	Catalogs             step.ID = "cluster/catalogs"
	HyperConverged       step.ID = "virtualization/hyperconverged"
	EngineStep           step.ID = "multicluster/engine"
	NoHostedClusters     step.ID = "uninstall/hosted-clusters"
	RemoveEngine         step.ID = "uninstall/engine"
	RemoveHyperConverged step.ID = "uninstall/hyperconverged"
	RemoveHostPath       step.ID = "uninstall/hostpath"
	RemoveClusterSet     step.ID = "uninstall/cluster-set"
)

// Gates are what must hold before anything is written: a cluster hcctl does not know is left alone, and one it may not
// change wholly is not changed by half.
func Gates() []step.ID {
	return []step.ID{ClusterVersion, ClusterPlatform, ClusterTopology, ClusterPermissions}
}
