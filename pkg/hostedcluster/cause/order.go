package cause

import "slices"

// Rank orders causes of the same severity. The lowest comes first.
type Rank int

// The ranks, in which a cause explains those after it. No other code has such an order.
const (
	// Operator means that HyperShift's operator does not run, so that the status of all other objects may be outdated.
	Operator Rank = iota
	// Deletion is the object that a deletion waits for.
	Deletion
	// Expiry is an expired certificate or token. It stays so until a user renews it.
	Expiry
	// Configuration has the conditions about the HostedCluster's own fields, release image and credentials.
	Configuration
	// Prerequisite is a component of the management cluster, such as its default ingress controller.
	Prerequisite
	// Publishing has Services without an address and Routes that are not admitted.
	Publishing
	// Infrastructure is the condition about Services and Routes.
	Infrastructure
	// Etcd, APIServer and ControlPlane are the workloads of the control plane. Component is an error that keeps the
	// control plane's operator from writing one of the ControlPlane workloads.
	Etcd
	APIServer
	Component
	ControlPlane
	// Address means that the API server runs but does not answer at its address.
	Address
	// EtcdCondition and APIServerCondition are conditions that follow from the workloads.
	EtcdCondition
	APIServerCondition
	// PoolConfiguration has the conditions about a NodePool's own fields.
	PoolConfiguration
	// VirtualMachine is a worker VM, with its pod and volumes.
	VirtualMachine
	// Machine is a Machine of Cluster API. It repeats the state of its VM, and reports drains.
	Machine
	// Network is a network plugin that the user has to install.
	Network
	// Request is a certificate request of a node that is neither approved nor denied.
	Request
	// Node is a node of the hosted cluster.
	Node
	// Connection has the conditions about the connection between the control plane and the nodes.
	Connection
	// HostedPod is a pod in the hosted cluster's openshift-* and kube-* namespaces.
	HostedPod
	// HostedOperator is a ClusterOperator of the hosted cluster.
	HostedOperator
	// Pool and Consequence are the conditions that follow from all the above.
	Pool
	Consequence
	// Service is a service that hcctl runs for the cluster. ManagedCluster is the cluster's state on the hub.
	Service
	ManagedCluster
)

// neededOperators lists the ClusterOperators that others need, each before those that need it: pods connect only with
// network, names resolve only with dns, Routes answer only with ingress.
var neededOperators = []string{"network", "dns", "ingress"}

// OperatorOrder returns the place of a ClusterOperator among others of the same severity. The lowest comes first.
func OperatorOrder(name string) int {
	if i := slices.Index(neededOperators, name); i >= 0 {
		return i
	}
	return len(neededOperators)
}
