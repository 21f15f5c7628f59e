package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about the management cluster itself, in the order of reports.
const (
	ClusterBareMetal     step.ID = "cluster/bare-metal"
	ClusterOperators     step.ID = "cluster/operators"
	ClusterConfigPools   step.ID = "cluster/machine-config-pools"
	ClusterNodes         step.ID = "cluster/nodes"
	ClusterArchitecture  step.ID = "cluster/architecture"
	ClusterMaxPods       step.ID = "cluster/max-pods"
	ClusterCapacity      step.ID = "cluster/capacity"
	ClusterNetwork       step.ID = "cluster/network"
	ClusterMTU           step.ID = "cluster/mtu"
	ClusterGuestNetworks step.ID = "cluster/guest-networks"
	ClusterPullSecret    step.ID = "cluster/pull-secret"
	ClusterMirrors       step.ID = "cluster/mirrors"
)

// clusterOptions is what the steps about the management cluster depend on.
type clusterOptions struct {
	// Manifests is set where operators come as manifests, so that no catalog is needed.
	Manifests bool
	// Access is every permission that a run may need.
	Access []kube.Access
}

func clusterSteps(c *kube.Client, o clusterOptions) []step.Step {
	return []step.Step{
		clusterVersion{c, o.Manifests}.step(),
		clusterPlatform{c}.step(),
		clusterTopology{c}.step(),
		bareMetalPlatform{c}.step(),
		permissions{c, o.Access}.step(),
		clusterOperators{c}.step(),
		configPools{c}.step(),
		clusterNodes{c}.step(),
		architecture{c}.step(),
		maxPods{c}.step(),
		capacity{c: c}.step(),
		clusterNetwork{c}.step(),
		networkMTU{c}.step(),
		guestNetworks{c: c}.step(),
		pullSecret{c: c}.step(),
		mirrors{c}.step(),
	}
}
