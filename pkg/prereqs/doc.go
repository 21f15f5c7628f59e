// Package prereqs holds what a cluster must have before it can host clusters on KubeVirt, as steps of pkg/step.
//
// This package is the graph: which prerequisites there are, in which order, their removal, and the preflight of a
// hosted cluster. Each group of prerequisites is a package below it. Groups do not know each other; what they share is
// in internal.
//
// In a group, one file holds one prerequisite, all in the same shape: a small struct with the client; prerequisite(),
// the one value of type prereq.Prerequisite with ID, title, rights, removal and preflight; check and, where hcctl can
// help, apply. The group's list.go names them, a line each. Steps, removal, rights and preflight are derived from
// these values.
//
// Rules name the operator and version that they come from. Callers outside of this folder import this package alone.
package prereqs
