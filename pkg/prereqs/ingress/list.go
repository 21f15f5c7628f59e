package ingress

import (
	"net"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Prerequisites returns those of ingress, in the order of reports.
func Prerequisites(c *kube.Client) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		wildcard{c}.prerequisite(),
		dns{c, net.DefaultResolver.LookupHost}.prerequisite(),
	}
}
