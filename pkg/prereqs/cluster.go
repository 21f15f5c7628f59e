package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about the management cluster itself, in the order of reports.
const (
	ClusterVersion    step.ID = "cluster/version"
	ClusterPlatform   step.ID = "cluster/platform"
	ClusterTopology   step.ID = "cluster/topology"
	ClusterOperators  step.ID = "cluster/operators"
	ClusterNodes      step.ID = "cluster/nodes"
	ClusterNetwork    step.ID = "cluster/network"
	ClusterPullSecret step.ID = "cluster/pull-secret"
)

func clusterSteps(c *kube.Client, _ Options) []step.Step {
	return []step.Step{
		clusterVersion{c}.step(),
		clusterPlatform{c}.step(),
		clusterTopology{c}.step(),
		clusterOperators{c}.step(),
		clusterNodes{c}.step(),
		clusterNetwork{c}.step(),
		pullSecret{c}.step(),
	}
}
