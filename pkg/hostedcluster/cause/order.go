package cause

import "slices"

// Rank is the place of a cause among others of the same gravity: the lowest comes first.
type Rank int

// The ranks: what stands first explains what comes after it. This is the only such order.
const (
	// Operator is HyperShift's operator that does not run: what all others report may be old.
	Operator Rank = iota
	// Deletion is what a deletion waits for.
	Deletion
	// Expiry is a certificate or token that has ended: it stays so until somebody renews it.
	Expiry
	// Configuration are conditions about the HostedCluster's own fields, release image and credentials.
	Configuration
	// Prerequisite is a part of the management cluster, such as its default ingress controller.
	Prerequisite
	// Publishing are Services without an address and Routes that are not admitted.
	Publishing
	// Infrastructure is the condition about those.
	Infrastructure
	// Etcd, APIServer and ControlPlane are the workloads of the control plane, Component what keeps its operator from
	// writing one of the last.
	Etcd
	APIServer
	Component
	ControlPlane
	// Address is an API server that runs and does not answer at its address.
	Address
	// EtcdCondition and APIServerCondition follow from the workloads.
	EtcdCondition
	APIServerCondition
	// PoolConfiguration are conditions about a NodePool's own fields.
	PoolConfiguration
	// VirtualMachine is a worker VM, with its pod and volumes.
	VirtualMachine
	// Machine is a Machine of Cluster API, which repeats what its VM says and knows of drains.
	Machine
	// Network is a network plug-in that has to be brought.
	Network
	// Request is a certificate request of a node that nobody has decided on.
	Request
	// Node is a node of the hosted cluster.
	Node
	// Connection are conditions about the way between the control plane and the nodes.
	Connection
	// HostedPod is a pod of the hosted cluster's own namespaces.
	HostedPod
	// HostedOperator is a ClusterOperator of the hosted cluster.
	HostedOperator
	// Pool and Consequence are the conditions that follow from all these.
	Pool
	Consequence
	// Service is a service of hcctl's beside the cluster, ManagedCluster how the hub sees it.
	Service
	ManagedCluster
)

// neededOperators are the ClusterOperators of a hosted cluster that others need, each before those that need it:
// without the network no pod reaches another, without dns no name resolves, without ingress no Route answers.
var neededOperators = []string{"network", "dns", "ingress"}

// OperatorOrder is the place of a ClusterOperator among others of the same gravity: the lowest comes first.
func OperatorOrder(name string) int {
	if i := slices.Index(neededOperators, name); i >= 0 {
		return i
	}
	return len(neededOperators)
}
