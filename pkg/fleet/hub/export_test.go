package hub

import (
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wait are the steps that follow a cluster as far as wait says.
func Wait(c *kube.Client, one *Cluster, wait options.Wait) []step.Step {
	return chained(followed(c, one.Site, one.ClusterName(), wait)...)
}
