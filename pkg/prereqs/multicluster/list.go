package multicluster

import (
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns the prerequisites of multicluster engine and HyperShift, in the order of reports.
func Prerequisites(o Options, pins olm.Pins, takeOver prereq.TakeOver) []prereq.Prerequisite {
	o = o.with(takeOver)
	return []prereq.Prerequisite{
		multiclusterOperator{pins, takeOver}.prerequisite(),
		multiclusterEngine{takeOver, o.Spec}.prerequisite(),
		multiclusterVersion{}.prerequisite(),
		hypershiftComponent{o}.prerequisite(),
		localCluster{o}.prerequisite(),
		hypershiftAddon{}.prerequisite(),
		hypershiftOperator{}.prerequisite(),
		supportedVersions{}.prerequisite(),
	}
}
