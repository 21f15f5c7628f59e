package access

import "strings"

// Place is the namespace of a rule's objects, if a role can be limited to it. Empty is the whole cluster.
type Place string

// Places whose namespaces are set by options of hcctl rbac.
const (
	// Clusters is the namespace of the HostedClusters.
	Clusters Place = "the namespace of the hosted clusters"
	// ControlPlane is the namespace of a cluster's control plane and worker VMs.
	ControlPlane Place = "the control plane's namespace"
	// Infrastructure is the namespace of worker VMs on a separate infrastructure cluster.
	Infrastructure Place = "the namespace of the worker VMs"
	// Services is the namespace of the cluster's services.
	Services Place = "the namespace of the cluster's services"
	// Imported is the namespace with the hosted cluster's name; Klusterlet has the prefix klusterlet-. Open Cluster
	// Management creates both.
	Imported   Place = "the ManagedCluster's namespace"
	Klusterlet Place = "the klusterlet's namespace"
)

// Placeholders in the names of a rule: Cluster for the hosted cluster's name, Namespace for its namespace,
// ServicesNamespace for the namespace of its services, ClusterSets for the ManagedClusterSets that it may join.
const (
	Cluster           = "{cluster}"
	Namespace         = "{namespace}"
	ServicesNamespace = "{services}"
	ClusterSets       = "{sets}"
)

// inNamespace is the prefix of the places of In.
const inNamespace = "namespace "

// In returns the Place of a namespace that has this name on every management cluster.
func In(namespace string) Place { return Place(inNamespace + namespace) }

// Namespace returns the namespace of an In place, "" for other places.
func (p Place) Namespace() string {
	namespace, ok := strings.CutPrefix(string(p), inNamespace)
	if !ok {
		return ""
	}
	return namespace
}
