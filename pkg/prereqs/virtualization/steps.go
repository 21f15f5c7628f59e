package virtualization

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about virtualization, in the order of reports.
const (
	Operator step.ID = "virtualization/operator"
	Version  step.ID = "virtualization/version"
	KVM      step.ID = "virtualization/kvm"
)

// Steps returns the prerequisites of virtualization, in the order of reports.
func Steps(c *kube.Client, o Options, pins olm.Pins) []step.Step {
	return []step.Step{
		virtualizationOperator{c, o, pins}.step(),
		hyperConverged{c, o, pins}.step(),
		virtualizationVersion{c}.step(),
		kvm{c}.step(),
	}
}
