package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about addresses for hosted API servers, in the order of reports.
const (
	LoadBalancerOverlap       step.ID = "load-balancer/overlap"
	LoadBalancerRange         step.ID = "load-balancer/range"
	LoadBalancerOperator      step.ID = "load-balancer/operator"
	MetalLB                   step.ID = "load-balancer/metallb"
	LoadBalancerPool          step.ID = "load-balancer/pool"
	LoadBalancerAdvertisement step.ID = "load-balancer/advertisement"
	LoadBalancerFreeAddresses step.ID = "load-balancer/free-addresses"
	// LoadBalancerService stands for all the others where MetalLB is not wanted.
	LoadBalancerService step.ID = "load-balancer/service"
)

func loadBalancerSteps(c *kube.Client, o LoadBalancerOptions, pins operatorPins) []step.Step {
	if mode := o.Mode; mode == LoadBalancerExisting || mode == LoadBalancerNone {
		return []step.Step{loadBalancerService{c, mode}.step()}
	}
	return []step.Step{
		loadBalancerOverlap{c, o}.step(),
		loadBalancerRange{c, o}.step(),
		loadBalancerOperator{c, pins}.step(),
		metalLB{c}.step(),
		loadBalancerPool{c, o}.step(),
		advertisement{c, o}.step(),
		freeAddresses{c, o}.step(),
	}
}

// guardRanges makes addresses a person gave, and that cannot be given out, stop a run before it has written anything.
func guardRanges(steps []step.Step, o LoadBalancerOptions) {
	if len(o.MetalLBRanges) == 0 || o.Mode != "" && o.Mode != LoadBalancerMetalLB {
		return
	}
	for i := range steps {
		if steps[i].Apply != nil {
			steps[i].Needs = append(steps[i].Needs[:len(steps[i].Needs):len(steps[i].Needs)], LoadBalancerOverlap)
		}
	}
}

// poolName is the IPAddressPool, and the L2Advertisement, hcctl writes.
const poolName = "hcctl"
