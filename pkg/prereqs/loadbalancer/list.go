package loadbalancer

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Prerequisites returns those of load balancing, in the order of reports. They are others where MetalLB is not wanted.
func Prerequisites(c *kube.Client, o Validated, pins olm.Pins) []prereq.Prerequisite {
	if mode := o.Mode; mode == ModeExisting || mode == ModeNone {
		return []prereq.Prerequisite{loadBalancerService{c, mode}.prerequisite()}
	}
	return []prereq.Prerequisite{
		loadBalancerOverlap{c, o}.prerequisite(),
		loadBalancerRange{c, o}.prerequisite(),
		loadBalancerOperator{c, pins}.prerequisite(),
		metalLB{c}.prerequisite(),
		loadBalancerPool{c, o}.prerequisite(),
		advertisement{c, o}.prerequisite(),
		freeAddresses{c, o}.prerequisite(),
	}
}
