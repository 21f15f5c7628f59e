// Package olm installs and removes operators through Operator Lifecycle Manager (v0). The operators differ by their
// rows in operators.go alone: one installer serves them all.
//
// The files *_state.go say what the states of OLM's objects mean.
package olm
