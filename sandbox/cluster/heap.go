package cluster

import (
	"strconv"

	"github.com/hcctl/hcctl/sandbox/cluster/roles"
)

// DefaultGCPercent makes the sandbox and its children collect garbage early, because a sandbox shares a small machine
// with the program under test. There is no GOMEMLIMIT: with a limit below its live heap, a child would collect without
// end.
const DefaultGCPercent = 40

// childEnv is the environment of the children.
func (s *Sandbox) childEnv() []string {
	return []string{roles.GCVariable + "=" + strconv.Itoa(s.opts.GCPercent)}
}
