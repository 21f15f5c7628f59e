package loadbalancer

import (
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns the prerequisites of load balancing, in the order of reports. They depend on whether MetalLB is
// used.
func Prerequisites(o Validated, pins olm.Pins) []prereq.Prerequisite {
	if mode := o.Mode; mode == ModeExisting || mode == ModeNone {
		return []prereq.Prerequisite{loadBalancerService{mode}.prerequisite()}
	}
	return []prereq.Prerequisite{
		loadBalancerOverlap{o}.prerequisite(),
		loadBalancerRange{o}.prerequisite(),
		loadBalancerOperator{pins}.prerequisite(),
		metalLB{o.MetalLBSpec}.prerequisite(),
		loadBalancerPool{o}.prerequisite(),
		advertisement{o}.prerequisite(),
		freeAddresses{o: o}.prerequisite(),
	}
}
