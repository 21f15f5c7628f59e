package management

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Options is what the prerequisites of the management cluster depend on.
type Options struct {
	// Manifests is set where operators come as manifests, so that no catalog is needed.
	Manifests bool
	// Access is every permission that a run may need.
	Access []kube.Access
}

// Prerequisites returns those of the management cluster itself, in the order of reports.
func Prerequisites(c *kube.Client, o Options) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		clusterVersion{c, o.Manifests}.prerequisite(),
		clusterPlatform{c}.prerequisite(),
		clusterTopology{c}.prerequisite(),
		bareMetalPlatform{c}.prerequisite(),
		permissions{c, o.Access}.prerequisite(),
		clusterOperators{c}.prerequisite(),
		configPools{c}.prerequisite(),
		clusterNodes{c}.prerequisite(),
		architecture{c}.prerequisite(),
		maxPods{c}.prerequisite(),
		clusterCapacity{c: c}.prerequisite(),
		clusterNetwork{c}.prerequisite(),
		networkMTU{c}.prerequisite(),
		guestNetworks{c: c}.prerequisite(),
		pullSecret{c: c}.prerequisite(),
		mirrors{c}.prerequisite(),
	}
}
