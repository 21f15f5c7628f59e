// Package olm installs and removes operators through Operator Lifecycle Manager (v0). The operators differ only by
// their rows in operators.go; one installer serves them all.
//
// The files *_state.go explain the states of OLM's objects.
package olm
