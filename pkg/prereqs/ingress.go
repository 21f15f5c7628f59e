package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about ingress, in the order of reports.
const (
	IngressWildcard step.ID = "ingress/wildcard"
)

func ingressSteps(c *kube.Client, _ Options) []step.Step {
	return []step.Step{
		wildcard{c}.step(),
	}
}
