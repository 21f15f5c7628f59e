package virtualization

import (
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns the prerequisites of virtualization, in the order of reports.
func Prerequisites(o Options, pins olm.Pins) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		virtualizationOperator{o, pins}.prerequisite(),
		hyperConverged{o, pins}.prerequisite(),
		virtualizationVersion{}.prerequisite(),
		kvm{}.prerequisite(),
	}
}
