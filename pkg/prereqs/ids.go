package prereqs

import (
	"strings"

	"github.com/hcctl/hcctl/pkg/step"
)

// The steps' IDs, in the order of reports. They are a contract with scripts and documentation.
const (
	ClusterVersion    step.ID = "cluster/version"
	ClusterPlatform   step.ID = "cluster/platform"
	ClusterTopology   step.ID = "cluster/topology"
	ClusterOperators  step.ID = "cluster/operators"
	ClusterNodes      step.ID = "cluster/nodes"
	ClusterNetwork    step.ID = "cluster/network"
	ClusterPullSecret step.ID = "cluster/pull-secret"

	LocalStorageOperator step.ID = "storage/local-storage-operator"
	DataFoundation       step.ID = "storage/data-foundation-operator"
	LocalVolumes         step.ID = "storage/local-volumes"
	StorageCluster       step.ID = "storage/cluster"
	DefaultClass         step.ID = "storage/default-class"
	SingleDefaultClass   step.ID = "storage/single-default-class"

	VirtualizationOperator step.ID = "virtualization/operator"
	HyperConverged         step.ID = "virtualization/hyperconverged"
	KVM                    step.ID = "virtualization/kvm"

	LoadBalancerOperator      step.ID = "load-balancer/operator"
	MetalLB                   step.ID = "load-balancer/metallb"
	LoadBalancerRange         step.ID = "load-balancer/range"
	LoadBalancerPool          step.ID = "load-balancer/pool"
	LoadBalancerAdvertisement step.ID = "load-balancer/advertisement"

	MulticlusterOperator  step.ID = "multicluster/operator"
	MulticlusterEngine    step.ID = "multicluster/engine"
	MulticlusterComponent step.ID = "multicluster/component"
	LocalCluster          step.ID = "multicluster/local-cluster"

	HypershiftAddon    step.ID = "hypershift/addon"
	HypershiftOperator step.ID = "hypershift/operator"

	IngressWildcard step.ID = "ingress/wildcard"
)

// gates are what must hold before anything is written: a cluster hcctl does not know is left alone.
func gates() []step.ID { return []step.ID{ClusterVersion, ClusterPlatform} }

// named fills in what follows from the step's ID: its group and its page.
func named(s step.Step) step.Step {
	group, _, _ := strings.Cut(string(s.ID), "/")
	s.Group = strings.ReplaceAll(group, "-", " ")
	s.Docs = "docs/checks/" + strings.ReplaceAll(string(s.ID), "/", "-") + ".md"
	return s
}
