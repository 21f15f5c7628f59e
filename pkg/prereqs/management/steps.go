package management

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about the management cluster itself, in the order of reports.
const (
	BareMetal     step.ID = "cluster/bare-metal"
	Operators     step.ID = "cluster/operators"
	ConfigPools   step.ID = "cluster/machine-config-pools"
	Nodes         step.ID = "cluster/nodes"
	Architecture  step.ID = "cluster/architecture"
	MaxPods       step.ID = "cluster/max-pods"
	Capacity      step.ID = "cluster/capacity"
	Network       step.ID = "cluster/network"
	MTU           step.ID = "cluster/mtu"
	GuestNetworks step.ID = "cluster/guest-networks"
	PullSecret    step.ID = "cluster/pull-secret"
	Mirrors       step.ID = "cluster/mirrors"
)

// Options is what the steps about the management cluster depend on.
type Options struct {
	// Manifests is set where operators come as manifests, so that no catalog is needed.
	Manifests bool
	// Access is every permission that a run may need.
	Access []kube.Access
}

// Steps returns the prerequisites of the management cluster itself, in the order of reports.
func Steps(c *kube.Client, o Options) []step.Step {
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
		clusterCapacity{c: c}.step(),
		clusterNetwork{c}.step(),
		networkMTU{c}.step(),
		guestNetworks{c: c}.step(),
		pullSecret{c: c}.step(),
		mirrors{c}.step(),
	}
}
