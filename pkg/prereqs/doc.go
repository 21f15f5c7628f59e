// Package prereqs holds what a cluster must have before it can host clusters on KubeVirt, as steps of pkg/step.
//
// One file holds one prerequisite, all in the same shape: a small struct with the client, step() for the engine, check and,
// where hcctl can help, apply. Operators are not told apart by code but by their rows in olm_table.go: one installer serves
// them all. Rules name the operator and version they come from.
package prereqs
