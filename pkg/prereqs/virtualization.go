package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about virtualization, in the order of reports.
const (
	VirtualizationOperator step.ID = "virtualization/operator"
	VirtualizationVersion  step.ID = "virtualization/version"
	KVM                    step.ID = "virtualization/kvm"
)

func virtualizationSteps(c *kube.Client, o VirtualizationOptions, pins operatorPins) []step.Step {
	return []step.Step{
		virtualizationOperator{c, o, pins}.step(),
		hyperConverged{c, o, pins}.step(),
		virtualizationVersion{c}.step(),
		kvm{c}.step(),
	}
}
