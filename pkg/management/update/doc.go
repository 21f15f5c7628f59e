// Package update plans an update of OpenShift on a management cluster: what it requires of the operators and the hosted
// clusters, the order of the steps, and what blocks it at present. It only reads.
//
// Each judge... function turns what was read into findings, without access to the cluster. What could not be read is
// unknown, and so is an update that is not offered: nothing here claims that an update is possible.
package update
