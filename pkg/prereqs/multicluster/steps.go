package multicluster

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about multicluster engine, in the order of reports.
const (
	Operator     step.ID = "multicluster/operator"
	Engine       step.ID = "multicluster/engine"
	Version      step.ID = "multicluster/version"
	Component    step.ID = "multicluster/component"
	LocalCluster step.ID = "multicluster/local-cluster"
)

// Steps returns the prerequisites about multicluster engine, in the order of reports.
func Steps(c *kube.Client, pins olm.Pins) []step.Step {
	return []step.Step{
		multiclusterOperator{c, pins}.step(),
		multiclusterEngine{c}.step(),
		multiclusterVersion{c}.step(),
		hypershiftComponent{c}.step(),
		localCluster{c}.step(),
	}
}
