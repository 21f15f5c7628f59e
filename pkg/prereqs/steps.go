package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Steps returns every prerequisite of KubeVirt hosted clusters, in the order of reports. Nothing is read or written before
// a step is checked or applied. The options must be valid.
func Steps(c *kube.Client, o Options) []step.Step {
	steps := []step.Step{
		clusterVersion{c}.step(),
		clusterPlatform{c}.step(),
		clusterTopology{c}.step(),
		clusterOperators{c}.step(),
		clusterNodes{c}.step(),
		clusterNetwork{c}.step(),
		pullSecret{c}.step(),
		localStorageOperator{c}.step(),
		dataFoundation{c}.step(),
		localVolumes{c}.step(),
		storageCluster{c}.step(),
		defaultClass{c}.step(),
		singleDefaultClass{c}.step(),
		virtualizationOperator{c}.step(),
		hyperConverged{c}.step(),
		kvm{c}.step(),
		loadBalancerOperator{c}.step(),
		metalLB{c}.step(),
		loadBalancerRange{c, o}.step(),
		loadBalancerPool{c, o}.step(),
		advertisement{c, o}.step(),
		multiclusterOperator{c}.step(),
		multiclusterEngine{c}.step(),
		hypershiftComponent{c}.step(),
		localCluster{c}.step(),
		hypershiftAddon{c}.step(),
		hypershiftOperator{c}.step(),
		wildcard{c}.step(),
	}
	for i := range steps {
		steps[i] = named(steps[i])
	}
	return steps
}
