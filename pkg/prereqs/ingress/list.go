package ingress

import (
	"net"

	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns those of ingress, in the order of reports.
func Prerequisites(taken prereq.TakeOver) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		wildcard{taken}.prerequisite(),
		published{}.prerequisite(),
		dns{net.DefaultResolver.LookupHost}.prerequisite(),
	}
}
