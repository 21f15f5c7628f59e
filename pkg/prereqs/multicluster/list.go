package multicluster

import (
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns those about multicluster engine and about HyperShift, in the order of reports.
func Prerequisites(o Options, pins olm.Pins, taken prereq.TakeOver) []prereq.Prerequisite {
	o = o.with(taken)
	return []prereq.Prerequisite{
		multiclusterOperator{pins, taken}.prerequisite(),
		multiclusterEngine{taken, o.Spec}.prerequisite(),
		multiclusterVersion{}.prerequisite(),
		hypershiftComponent{o}.prerequisite(),
		localCluster{o}.prerequisite(),
		hypershiftAddon{}.prerequisite(),
		hypershiftOperator{}.prerequisite(),
		supportedVersions{}.prerequisite(),
	}
}
