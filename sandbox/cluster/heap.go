package cluster

import (
	"strconv"

	"github.com/hcctl/hcctl/sandbox/cluster/roles"
)

// DefaultGCPercent has the sandbox and its children collect garbage early: a sandbox shares a small machine with what
// it tests. There is no GOMEMLIMIT: one below what is in use would have a child collect without end.
const DefaultGCPercent = 40

// heap is the environment of the children.
func (s *Sandbox) heap() []string {
	return []string{roles.GCVariable + "=" + strconv.Itoa(s.opts.GCPercent)}
}
