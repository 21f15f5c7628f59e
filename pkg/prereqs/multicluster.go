package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about multicluster engine, in the order of reports.
const (
	MulticlusterOperator  step.ID = "multicluster/operator"
	MulticlusterEngine    step.ID = "multicluster/engine"
	MulticlusterVersion   step.ID = "multicluster/version"
	MulticlusterComponent step.ID = "multicluster/component"
	LocalCluster          step.ID = "multicluster/local-cluster"
)

func multiclusterSteps(c *kube.Client, pins operatorPins) []step.Step {
	return []step.Step{
		multiclusterOperator{c, pins}.step(),
		multiclusterEngine{c}.step(),
		multiclusterVersion{c}.step(),
		hypershiftComponent{c}.step(),
		localCluster{c}.step(),
	}
}
