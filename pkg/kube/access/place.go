package access

import "strings"

// Place is where a rule's objects are, as far as a role can be limited to that. Empty is the whole cluster.
type Place string

// Places whose namespaces the options of hcctl rbac name.
const (
	// Clusters is the namespace of the HostedClusters.
	Clusters Place = "the namespace of the hosted clusters"
	// ControlPlane is that of a cluster's control plane and worker VMs.
	ControlPlane Place = "the control plane's namespace"
	// Infrastructure is that of worker VMs on a cluster of their own.
	Infrastructure Place = "the namespace of the worker VMs"
	// Services is that of a cluster's services.
	Services Place = "the namespace of the cluster's services"
	// Imported has the name of the hosted cluster; Klusterlet has klusterlet- before it. Open Cluster Management makes
	// both.
	Imported   Place = "the ManagedCluster's namespace"
	Klusterlet Place = "the klusterlet's namespace"
)

// Cluster stands for the hosted cluster's name in the names of a rule, Namespace for its namespace, ServicesNamespace
// for the name of the namespace of its services, ClusterSets for the ManagedClusterSets that it may join.
const (
	Cluster           = "{cluster}"
	Namespace         = "{namespace}"
	ServicesNamespace = "{services}"
	ClusterSets       = "{sets}"
)

// inNamespace begins the places of In.
const inNamespace = "namespace "

// In is one namespace that has this name on every management cluster.
func In(namespace string) Place { return Place(inNamespace + namespace) }

// Namespace is the namespace of In, empty for other places.
func (p Place) Namespace() string {
	namespace, ok := strings.CutPrefix(string(p), inNamespace)
	if !ok {
		return ""
	}
	return namespace
}
