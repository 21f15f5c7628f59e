package prereq

import "github.com/hcctl/hcctl/pkg/step"

// IDs of steps that steps of other groups need, and of removals that others wait for.
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

// Gates returns the steps that must succeed before anything is written: hcctl does not change an unknown cluster, and
// does not start without the rights to finish.
func Gates() []step.ID {
	return []step.ID{ClusterVersion, ClusterPlatform, ClusterTopology, ClusterPermissions}
}
