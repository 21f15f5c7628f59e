// Package prereqs holds what a cluster must have before it can host clusters on KubeVirt, as steps of pkg/step.
//
// This package is the graph: which prerequisites there are, in which order, their removal, and the preflight of a
// hosted cluster. Each group of prerequisites is a package below it. Groups do not know each other; what they share is
// in internal.
//
// In a group, one file holds one prerequisite, all in the same shape: a small struct with the client, step() for the
// engine, check and, where hcctl can help, apply. Rules name the operator and version that they come from. Callers
// outside of this folder import this package alone.
package prereqs
