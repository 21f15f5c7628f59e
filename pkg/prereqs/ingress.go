package prereqs

import (
	"net"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about ingress, in the order of reports.
const (
	IngressWildcard step.ID = "ingress/wildcard"
	IngressDNS      step.ID = "ingress/dns"
)

func ingressSteps(c *kube.Client) []step.Step {
	return []step.Step{
		wildcard{c}.step(),
		dns{c, net.DefaultResolver.LookupHost}.step(),
	}
}
