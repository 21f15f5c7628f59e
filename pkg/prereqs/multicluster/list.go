package multicluster

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Prerequisites returns those about multicluster engine and about HyperShift, in the order of reports.
func Prerequisites(c *kube.Client, pins olm.Pins) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		multiclusterOperator{c, pins}.prerequisite(),
		multiclusterEngine{c}.prerequisite(),
		multiclusterVersion{c}.prerequisite(),
		hypershiftComponent{c}.prerequisite(),
		localCluster{c}.prerequisite(),
		hypershiftAddon{c}.prerequisite(),
		hypershiftOperator{c: c}.prerequisite(),
		supportedVersions{c}.prerequisite(),
	}
}
