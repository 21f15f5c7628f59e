package cluster

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Options configure the prerequisites of the management cluster.
type Options struct {
	// Manifests means that operators are installed from manifests, so that no catalog is needed.
	Manifests bool
	// Access is every permission that a run may need.
	Access []kube.Access
	// Mirrors configure the sources of images and operators.
	Mirrors  MirrorOptions
	TakeOver prereq.TakeOver
}

// Prerequisites returns the prerequisites of the management cluster itself, in the order of reports.
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
		nodeSelector{planeReplicas}.prerequisite(),
		zones{}.prerequisite(),
		maxPods{}.prerequisite(),
		clusterCapacity{}.prerequisite(),
		clusterNetwork{}.prerequisite(),
		networkMTU{}.prerequisite(),
		guestNetworks{}.prerequisite(),
		pullSecret{added: o.Mirrors.PullSecret, takeOver: o.TakeOver}.prerequisite(),
		mirrors{o.Mirrors, o.TakeOver}.prerequisite(),
		catalogs{o.Mirrors}.prerequisite(),
		clusterProxy{}.prerequisite(),
		operatorUpdates(),
	}
}
