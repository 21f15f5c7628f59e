package deletion

import (
	"context"
	"time"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// detachPatience is how long a ManagedCluster that does not go holds up the rest: what cleans it may need the hosted
// API, which a broken cluster does not have. It is looked at again at the end.
const detachPatience = 2 * time.Minute

// detached holds once there is no ManagedCluster that the hypershift addon made for this cluster.
func (d *Plan) detached(ctx context.Context) step.Finding {
	mc, foreign, err := d.managedCluster(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("ManagedCluster %s", d.Name)
	case foreign != "":
		return step.OK("left as it is: %s", foreign).On("ManagedCluster %s", d.Name)
	case mc == nil:
		return step.OK("there is none").On("ManagedCluster %s", d.Name)
	case mc.DeletionTimestamp != nil:
		return held(mc, "being detached").On("ManagedCluster %s", d.Name).
			WithHint(
				"oc get managedcluster %s -o yaml shows its conditions; with the hosted cluster gone, multicluster engine "+
					"cannot clean up in it: see docs/delete.md",
				d.Name,
			)
	}
	return step.Missing("imported by the hypershift addon").On("ManagedCluster %s", d.Name)
}

// detachedFirst holds as detached does, or once detaching has been given its time.
func (d *Plan) detachedFirst(ctx context.Context) step.Finding {
	f := d.detached(ctx)
	if f.State != step.StatePending {
		return f
	}
	mc, _, err := d.managedCluster(ctx)
	if err != nil || mc == nil || mc.DeletionTimestamp == nil {
		return f
	}
	if left := detachPatience - d.client.Now().Sub(mc.DeletionTimestamp.Time); left > 0 {
		return f.RecheckAfter(left)
	}
	return step.OK(
		"being detached for more than %s: not waited for now, but at the end",
		detachPatience,
	).On(
		"ManagedCluster %s",
		d.Name,
	)
}

func (d *Plan) detach(ctx context.Context) (step.Change, error) {
	mc, _, err := d.managedCluster(ctx)
	if err != nil || mc == nil {
		return step.Unchanged, err
	}
	return d.remove(ctx, mc, "ManagedCluster")
}

// whose says why a ManagedCluster of the cluster's name is not the one the hypershift addon made.
func whose(mc *clusterv1.ManagedCluster) string {
	if via := mc.Annotations[createdViaAnnotation]; via != "" && via != "hypershift" {
		return "it was imported by " + via + ", not by the hypershift addon"
	}
	return "the hypershift addon did not import it"
}
