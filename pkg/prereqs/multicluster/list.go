package multicluster

import (
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Prerequisites returns those about multicluster engine and about HyperShift, in the order of reports.
func Prerequisites(o Options, pins olm.Pins) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		multiclusterOperator{pins}.prerequisite(),
		multiclusterEngine{}.prerequisite(),
		multiclusterVersion{}.prerequisite(),
		hypershiftComponent{o}.prerequisite(),
		localCluster{o}.prerequisite(),
		hypershiftAddon{}.prerequisite(),
		hypershiftOperator{}.prerequisite(),
		supportedVersions{}.prerequisite(),
	}
}
