package ingress

import (
	"net"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about ingress, in the order of reports.
const (
	Wildcard step.ID = "ingress/wildcard"
	DNS      step.ID = "ingress/dns"
)

// Steps returns the prerequisites of ingress, in the order of reports.
func Steps(c *kube.Client) []step.Step {
	return []step.Step{
		wildcard{c}.step(),
		dns{c, net.DefaultResolver.LookupHost}.step(),
	}
}
