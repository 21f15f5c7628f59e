// Package cause goes from something of a hosted cluster that is not well to what explains it: from a workload to its
// pods, from a pod to its claims, from a VM to its pod and volumes, from a NodePool to its Machines, from a node or an
// operator of the hosted cluster to its requests and pods, and from each of them to its Events. It reads only, and only
// below what is not well.
package cause
