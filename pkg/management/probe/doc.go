// Package probe tests what hosted clusters need of a management cluster: volumes, addresses, wildcard Routes, virtual
// machines, pulls.
//
// Each probe works in a namespace of its own, which is deleted in any case at the end. The next run deletes the
// namespace of a run that was killed, see leftovers.go.
package probe
