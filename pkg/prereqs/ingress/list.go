package ingress

import (
	"net"

	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns the prerequisites of ingress, in the order of reports.
func Prerequisites(takeOver prereq.TakeOver) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		wildcard{takeOver}.prerequisite(),
		published{}.prerequisite(),
		dns{net.DefaultResolver.LookupHost}.prerequisite(),
	}
}
