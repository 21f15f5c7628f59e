// Package update plans an update of OpenShift on a management cluster: what it asks of the operators and the hosted
// clusters, in which order, and what blocks it now. It only reads.
//
// Each judge... function turns what was read into findings and knows nothing of the cluster behind it. What could not
// be read is unknown, and an update that nobody offers is unknown too: nothing here claims that an update is
// possible.
package update
