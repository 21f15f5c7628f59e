package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about addresses for hosted API servers, in the order of reports.
const (
	LoadBalancerOperator      step.ID = "load-balancer/operator"
	MetalLB                   step.ID = "load-balancer/metallb"
	LoadBalancerRange         step.ID = "load-balancer/range"
	LoadBalancerPool          step.ID = "load-balancer/pool"
	LoadBalancerAdvertisement step.ID = "load-balancer/advertisement"
)

func loadBalancerSteps(c *kube.Client, o Options) []step.Step {
	return []step.Step{
		loadBalancerOperator{c, o.Operators}.step(),
		metalLB{c}.step(),
		loadBalancerRange{c, o}.step(),
		loadBalancerPool{c, o}.step(),
		advertisement{c, o}.step(),
	}
}
