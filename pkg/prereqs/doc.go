// Package prereqs holds what a cluster must have before it can host clusters on KubeVirt, as steps of pkg/step.
//
// This package is the graph: which prerequisites there are, in which order, their removal, and the preflight of a
// hosted cluster. Each group of prerequisites is a package below it. Groups do not know each other; what they share is
// in prereq, olm, disk, design, capacity and internal.
//
// In a group, one file holds one prerequisite, all in the same shape: a small struct with the client; prerequisite(),
// the one value of type prereq.Prerequisite with ID, title, rights, removal and preflight; check and, where hcctl can
// help, apply. The group's list.go names them, a line each. Steps, removal, rights and preflight are derived from
// these values.
//
// Rules name the operator and version that they come from. Who needs one group only imports that group.
//
// Removal is a graph of its own: a step of it holds once something is gone, and its Apply deletes it. What is removed
// together (Subscription, ClusterServiceVersion, OperatorGroup, namespace) is not what is written together, so a step
// has no Undo of its own. A label tells whose an object is, and managed fields whose a field is. A
// ClusterServiceVersion gets the label before its Subscription goes, so that a killed uninstall still knows it.
//
// Planning shows a planned Subscription as installed, in the version that its channel offers: what is written next
// depends on it. Nothing else is foreseen. A finding that rests on a planned object is reported as open, never as a
// failure.
package prereqs
