// Package probe tries out what hosted clusters need of a management cluster: volumes, addresses, wildcard Routes,
// virtual machines, pulls.
//
// Each probe works in a namespace of its own, which is deleted however the probe ends. The namespace of a killed run is
// deleted by the next run, see leftovers.go.
package probe
