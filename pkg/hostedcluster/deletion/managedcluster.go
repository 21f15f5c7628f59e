package deletion

import (
	"context"
	"fmt"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// autoImported reports whether the hypershift addon created the ManagedCluster. A user has to detach a ManagedCluster
// that a user created.
func autoImported(mc *clusterv1.ManagedCluster) bool {
	return mc.Annotations[managedcluster.DeployModeAnnotation] == managedcluster.HostedMode &&
		mc.Annotations[managedcluster.CreatedViaAnnotation] == managedcluster.CreatedViaHypershift
}

// managedCluster returns the ManagedCluster that the hypershift addon created for this cluster. If one of this name is
// not proven to be this cluster's, foreign is the reason; both are empty if there is none.
//
// If managedcluster.Proof proves nothing, it is this cluster's if no other HostedCluster has the name.
func (d *Plan) managedCluster(
	ctx context.Context, r kube.Reader) (mc *clusterv1.ManagedCluster, foreign string, err error) {
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

// foreignImport returns why a ManagedCluster of the addon is not proven to be this cluster's; empty if it is.
func (d *Plan) foreignImport(mc *clusterv1.ManagedCluster) string {
	self := d.self
	self.InfraID = d.InfraID
	if another, proven := managedcluster.Proof(mc, self); another != "" || proven {
		return another
	}
	switch other := d.sameNameCluster(); {
	case other != "":
		return "it may be that of HostedCluster " + other
	case d.listError != "":
		return "nothing proves that it is this cluster's, and whether another HostedCluster has the name " +
			"cannot be known: " + d.listError
	case d.InfraID == "":
		return fmt.Sprintf("nothing is left of the cluster that would prove whose it is; %s does", hint.Flag("infra-id"))
	}
	return ""
}
