package cluster

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Options is what the prerequisites of the management cluster depend on.
type Options struct {
	// Manifests is set where operators come as manifests, so that no catalog is needed.
	Manifests bool
	// Access is every permission that a run may need.
	Access []kube.Access
	// Mirrors are where images and operators are to come from.
	Mirrors  MirrorOptions
	TakeOver prereq.TakeOver
}

// Prerequisites returns those of the management cluster itself, in the order of reports.
func Prerequisites(o Options) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		clusterVersion{o.Manifests}.prerequisite(),
		clusterPlatform{}.prerequisite(),
		clusterTopology{}.prerequisite(),
		bareMetalPlatform{}.prerequisite(),
		permissions{o.Access}.prerequisite(),
		clusterOperators{}.prerequisite(),
		configPools{}.prerequisite(),
		clusterNodes{o.TakeOver}.prerequisite(),
		architecture{}.prerequisite(),
		nodeSelector{planeCopies}.prerequisite(),
		zones{}.prerequisite(),
		maxPods{}.prerequisite(),
		clusterCapacity{}.prerequisite(),
		clusterNetwork{}.prerequisite(),
		networkMTU{}.prerequisite(),
		guestNetworks{}.prerequisite(),
		pullSecret{added: o.Mirrors.PullSecret, taken: o.TakeOver}.prerequisite(),
		mirrors{o.Mirrors, o.TakeOver}.prerequisite(),
		catalogs{o.Mirrors}.prerequisite(),
		clusterProxy{}.prerequisite(),
		operatorUpdates(),
	}
}
