package managedcluster

import (
	"strconv"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// The marks of ManagedClusters that stand for hosted clusters.
const (
	// DeployModeAnnotation is HostedMode where the agents of a cluster run on its hosting cluster.
	DeployModeAnnotation = "import.open-cluster-management.io/klusterlet-deploy-mode"
	HostedMode           = "Hosted"
	// HostingAnnotation names the ManagedCluster of the cluster that the agents run on.
	HostingAnnotation = "import.open-cluster-management.io/hosting-cluster-name"
	// CreatedViaAnnotation says who imported a cluster, CreatedViaHypershift that the hypershift addon did. The addon's
	// documents have users write the same who import a hosted cluster themselves.
	CreatedViaAnnotation = "open-cluster-management/created-via"
	CreatedViaHypershift = "hypershift"
	// SetLabel is the ManagedClusterSet that a cluster is in.
	SetLabel = "cluster.open-cluster-management.io/clusterset"
	// LocalLabel is "true" on the ManagedCluster that is the hub itself.
	LocalLabel = "local-cluster"
	// clusterIDLabel is multicluster engine's label for the ClusterID that an imported cluster reports.
	clusterIDLabel = "clusterID"
	// conditionImported is the import controller's.
	conditionImported = "ManagedClusterImportSucceeded"
)

// State says in a word how far a ManagedCluster is.
type State string

// The states. A cluster goes through them in this order, except for Unreachable, Unavailable and Detaching.
const (
	NotAccepted State = "not accepted"
	NotJoined   State = "not joined"
	Joined      State = "joined"
	Available   State = "available"
	// Unavailable means that the agent runs and does not reach the API server of its cluster.
	Unavailable State = "unavailable"
	// Unreachable means that the hub does not hear of the agent any more.
	Unreachable State = "unreachable"
	Detaching   State = "detaching"
)

// StateOf goes by the cluster's conditions.
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

// NameOf is the name of a hosted cluster's ManagedCluster: the hypershift addon imports it under its own name.
func NameOf(hc *hyperv1.HostedCluster) string { return hc.Name }

// Foreign says why a ManagedCluster of a hosted cluster's name is not that hosted cluster's, empty if it may be.
func Foreign(mc *clusterv1.ManagedCluster, hc *hyperv1.HostedCluster) string {
	if mc.Annotations[DeployModeAnnotation] != HostedMode {
		return "it is not that of a hosted cluster: it has no annotation " + DeployModeAnnotation + "=" + HostedMode
	}
	why, _ := Proof(mc, hostedcluster.IdentityOf(hc))
	return why
}

// Proof says why a ManagedCluster of a hosted cluster's name is another's, empty if nothing says so, and whether it is
// proven to be that hosted cluster's. What is not known of the hosted cluster is empty, and proves nothing.
//
// The hypershift addon uses the HostedCluster's name without its namespace. Since MCE 2.7 it copies the HostedCluster's
// labels, so that the InfraID identifies it. Before, the ClusterID that the klusterlet reports does.
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
