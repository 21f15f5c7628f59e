// Package cause finds what explains an unhealthy part of a hosted cluster. It goes from a workload to its pods, from a
// pod to its volume claims, from a VM to its pod and volumes, from a NodePool to its Machines, from a node or a
// ClusterOperator of the hosted cluster to its certificate requests and pods, and from each of them to its Events. It
// only reads, and only below unhealthy objects.
package cause
