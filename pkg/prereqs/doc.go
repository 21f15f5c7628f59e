// Package prereqs holds what a cluster must have before it can host clusters on KubeVirt, as steps of pkg/step.
//
// This package is the graph: the prerequisites in their order, their removal, and the preflight of a hosted cluster.
// Each group of prerequisites is a package below it. Groups do not import each other; what they share is in prereq,
// olm, disk, design, capacity and internal.
//
// In a group, one file holds one prerequisite, always in the same form: a small struct with the options;
// prerequisite(), which returns the one value of type prereq.Prerequisite with ID, title, rights, removal and
// preflight; check and, where hcctl can help, apply. The group's list.go lists them, one line each. Steps, removal,
// rights and preflight are derived from these values.
//
// Rules name the operator and version that they come from. A package that needs only one group imports only that group.
//
// Removal is a graph of its own: a step of it succeeds once an object is gone, and its Apply deletes the object. What
// is removed together (Subscription, ClusterServiceVersion, OperatorGroup, namespace) is not what is written together,
// so a step has no Undo of its own. A label shows the owner of an object, managed fields show the owner of a field. A
// ClusterServiceVersion gets the label before its Subscription is deleted, so that the next run recognizes it if
// uninstall is killed.
//
// Planning shows a planned Subscription as installed, in the version that its channel offers, because later writes
// depend on it. Nothing else is foreseen. A finding that depends on a planned object is reported as open, never as a
// failure.
package prereqs
