package cluster

import (
	"os"
	"strconv"
)

// DefaultGCPercent has the sandbox and its children collect garbage early: a sandbox shares a small machine with what it
// tests. There is no GOMEMLIMIT: one below what is in use would have a child collect without end.
const DefaultGCPercent = 40

// gcVariable is Go's own setting of how far a heap grows before garbage is collected.
const gcVariable = "GOGC"

// heap is the environment of the children.
func (s *Sandbox) heap() []string { return []string{gcVariable + "=" + strconv.Itoa(s.opts.GCPercent)} }

// sparing tells whether a process with that setting is to give back heap it does not need at the moment; where memory is
// plenty, the collection that takes is time lost.
func sparing(percent int) bool { return percent < 100 }

// childSparing is sparing for a process that was started by the sandbox.
func childSparing() bool {
	percent, err := strconv.Atoi(os.Getenv(gcVariable))
	return err != nil || sparing(percent)
}
