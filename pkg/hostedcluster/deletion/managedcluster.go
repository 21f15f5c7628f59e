package deletion

import (
	"context"
	"strconv"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// The annotations of ManagedClusters that the hypershift addon imports.
const (
	deployModeAnnotation = "import.open-cluster-management.io/klusterlet-deploy-mode"
	createdViaAnnotation = "open-cluster-management/created-via"
	// clusterIDLabel is multicluster engine's label for the ClusterID that the imported cluster reports.
	clusterIDLabel = "clusterID"
)

// autoImported reports whether the hypershift addon made the ManagedCluster. One that a person made is theirs to
// detach.
func autoImported(mc *clusterv1.ManagedCluster) bool {
	return mc.Annotations[deployModeAnnotation] == "Hosted" && mc.Annotations[createdViaAnnotation] == "hypershift"
}

// managedCluster returns the ManagedCluster that the hypershift addon made for this cluster. If one of this name is not
// proven to be this cluster's, foreign says why; both are empty if there is none.
//
// The addon uses the HostedCluster's name without its namespace. Since MCE 2.7 it copies the HostedCluster's labels, so
// that the InfraID identifies it. Before, the ClusterID that the klusterlet reports does, or that the name is unique.
func (d *Plan) managedCluster(
	ctx context.Context, r kube.Reader,
) (mc *clusterv1.ManagedCluster, foreign string, err error) {
	mc = &clusterv1.ManagedCluster{}
	if err = r.Get(ctx, client.ObjectKey{Name: d.Name}, mc); err != nil {
		return nil, "", client.IgnoreNotFound(err)
	}
	if !autoImported(mc) {
		return nil, foreignReason(mc), nil
	}
	if foreign = d.foreignImport(mc); foreign != "" {
		return nil, foreign, nil
	}
	return mc, "", nil
}

// foreignImport returns why a ManagedCluster of the addon is not proven to be this cluster's, empty if it is.
func (d *Plan) foreignImport(mc *clusterv1.ManagedCluster) string {
	infraID, clusterID := mc.Labels[hostedcluster.InfraLabel], mc.Labels[clusterIDLabel]
	switch {
	case infraID != "" && d.InfraID != "" && infraID != d.InfraID:
		return "it is that of another hosted cluster of this name, with infraID " + strconv.Quote(infraID)
	case clusterID != "" && d.self.ClusterID != "" && clusterID != d.self.ClusterID:
		return "it is that of another hosted cluster of this name, with clusterID " + strconv.Quote(clusterID)
	case d.present && mc.CreationTimestamp.Time.Before(d.self.Created):
		return "it was there before the HostedCluster"
	case infraID != "" && infraID == d.InfraID, clusterID != "" && clusterID == d.self.ClusterID:
		return ""
	}
	switch other := d.sameNameCluster(); {
	case other != "":
		return "it may be that of HostedCluster " + other
	case d.listError != "":
		return "nothing proves that it is this cluster's, and whether another HostedCluster has the name " +
			"cannot be known: " + d.listError
	case d.InfraID == "":
		return "nothing is left of the cluster that would prove whose it is; --infra-id does"
	}
	return ""
}
