package managedcluster

import (
	"strconv"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// The labels and annotations of ManagedClusters that represent hosted clusters.
const (
	// DeployModeAnnotation is HostedMode if the agents of a cluster run on its hosting cluster.
	DeployModeAnnotation = "import.open-cluster-management.io/klusterlet-deploy-mode"
	HostedMode           = "Hosted"
	// HostingAnnotation names the ManagedCluster of the hosting cluster.
	HostingAnnotation = "import.open-cluster-management.io/hosting-cluster-name"
	// CreatedViaAnnotation records what imported a cluster. CreatedViaHypershift is the value of the hypershift addon; its
	// documentation tells users to set the same value if they import a hosted cluster themselves.
	CreatedViaAnnotation = "open-cluster-management/created-via"
	CreatedViaHypershift = "hypershift"
	// SetLabel names the ManagedClusterSet of a cluster.
	SetLabel = "cluster.open-cluster-management.io/clusterset"
	// LocalLabel is "true" on the ManagedCluster of the hub itself.
	LocalLabel = "local-cluster"
	// clusterIDLabel is multicluster engine's label with the ClusterID that an imported cluster reports.
	clusterIDLabel = "clusterID"
	// conditionImported is a condition of the import controller.
	conditionImported = "ManagedClusterImportSucceeded"
)

// State is the state of a ManagedCluster.
type State string

// The states. A cluster reaches them in this order, except for Unreachable, Unavailable and Detaching.
const (
	NotAccepted State = "not accepted"
	NotJoined   State = "not joined"
	Joined      State = "joined"
	Available   State = "available"
	// Unavailable means that the agent runs but cannot reach the API server of its cluster.
	Unavailable State = "unavailable"
	// Unreachable means that the agent no longer reports to the hub.
	Unreachable State = "unreachable"
	Detaching   State = "detaching"
)

// StateOf returns the state that the cluster's conditions report.
func StateOf(mc *clusterv1.ManagedCluster) State {
	condition := func(t string) kube.Condition { return kube.ConditionOf(mc, mc.Status.Conditions, t) }
	available := condition(clusterv1.ManagedClusterConditionAvailable)
	switch {
	case mc.DeletionTimestamp != nil:
		return Detaching
	case !mc.Spec.HubAcceptsClient, condition(clusterv1.ManagedClusterConditionHubAccepted).False():
		return NotAccepted
	case !condition(clusterv1.ManagedClusterConditionJoined).True():
		return NotJoined
	case available.Status == "" || available.Doubt != "":
		return Joined
	case available.True():
		return Available
	case available.False():
		return Unavailable
	}
	return Unreachable
}

// NameOf returns the name of a hosted cluster's ManagedCluster. The hypershift addon imports it under the cluster's own
// name.
func NameOf(hc *hyperv1.HostedCluster) string { return hc.Name }

// Foreign returns why a ManagedCluster with a hosted cluster's name belongs to another cluster, or "" if it may be its
// own.
func Foreign(mc *clusterv1.ManagedCluster, hc *hyperv1.HostedCluster) string {
	if mc.Annotations[DeployModeAnnotation] != HostedMode {
		return "it is not that of a hosted cluster: it has no annotation " + DeployModeAnnotation + "=" + HostedMode
	}
	why, _ := Proof(mc, hostedcluster.IdentityOf(hc))
	return why
}

// Proof returns why a ManagedCluster with a hosted cluster's name belongs to another cluster, or "", and whether it is
// proven to be its own. Unknown fields of the hosted cluster are empty and prove nothing.
//
// The hypershift addon uses the HostedCluster's name without its namespace. Since MCE 2.7 it copies the HostedCluster's
// labels, so the InfraID identifies the cluster. Before 2.7 the ClusterID that the klusterlet reports identifies it.
func Proof(mc *clusterv1.ManagedCluster, of hostedcluster.Identity) (another string, proven bool) {
	infraID, clusterID := mc.Labels[hostedcluster.InfraLabel], mc.Labels[clusterIDLabel]
	switch {
	case infraID != "" && of.InfraID != "" && infraID != of.InfraID:
		return "it is that of another hosted cluster of this name, with infraID " + strconv.Quote(infraID), false
	case clusterID != "" && of.ClusterID != "" && clusterID != of.ClusterID:
		return "it is that of another hosted cluster of this name, with clusterID " + strconv.Quote(clusterID), false
	case !mc.CreationTimestamp.IsZero() && mc.CreationTimestamp.Time.Before(of.Created):
		return "it was there before the HostedCluster", false
	}
	return "", infraID != "" && infraID == of.InfraID || clusterID != "" && clusterID == of.ClusterID
}
