package multicluster

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about HyperShift, in the order of reports.
const (
	HypershiftAddon    step.ID = "hypershift/addon"
	HypershiftOperator step.ID = "hypershift/operator"
	HypershiftVersions step.ID = "hypershift/supported-versions"
)

// HypershiftSteps returns the prerequisites about HyperShift, in the order of reports.
func HypershiftSteps(c *kube.Client) []step.Step {
	return []step.Step{
		hypershiftAddon{c}.step(),
		hypershiftOperator{c: c}.step(),
		supportedVersions{c}.step(),
	}
}
