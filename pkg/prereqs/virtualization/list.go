package virtualization

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Prerequisites returns those of virtualization, in the order of reports.
func Prerequisites(c *kube.Client, o Options, pins olm.Pins) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		virtualizationOperator{c, o, pins}.prerequisite(),
		hyperConverged{c, o, pins}.prerequisite(),
		virtualizationVersion{c}.prerequisite(),
		kvm{c}.prerequisite(),
	}
}
