package loadbalancer

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about addresses for hosted API servers, in the order of reports.
const (
	Overlap       step.ID = "load-balancer/overlap"
	Range         step.ID = "load-balancer/range"
	Operator      step.ID = "load-balancer/operator"
	MetalLB       step.ID = "load-balancer/metallb"
	Pool          step.ID = "load-balancer/pool"
	Advertisement step.ID = "load-balancer/advertisement"
	FreeAddresses step.ID = "load-balancer/free-addresses"
	// Service stands for all the others where MetalLB is not wanted.
	Service step.ID = "load-balancer/service"
)

// Steps returns the prerequisites of load balancing, in the order of reports. They are others where MetalLB is not
// wanted.
func Steps(c *kube.Client, o Validated, pins olm.Pins) []step.Step {
	if mode := o.Mode; mode == ModeExisting || mode == ModeNone {
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

// GuardRanges makes addresses a person gave, and that cannot be given out, stop a run before it has written anything.
func GuardRanges(steps []step.Step, o Validated) {
	if len(o.MetalLBRanges) == 0 || o.Mode != "" && o.Mode != ModeMetalLB {
		return
	}
	for i := range steps {
		if steps[i].Apply != nil {
			steps[i].Needs = append(steps[i].Needs[:len(steps[i].Needs):len(steps[i].Needs)], Overlap)
		}
	}
}

// poolName is the IPAddressPool, and the L2Advertisement, hcctl writes.
const poolName = "hcctl"
