package deletion

import (
	"context"
	"time"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// detachTimeout is the maximum time that a ManagedCluster delays the other steps: its cleanup may need the hosted API
// server, which a broken cluster does not have. A later step checks it again.
const detachTimeout = 2 * time.Minute

// detached is OK once the hypershift addon's ManagedCluster for this cluster does not exist.
func (d *Plan) detached(ctx context.Context, r kube.Reader) step.Finding {
	mc, foreign, err := d.managedCluster(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ManagedCluster %s", d.Name)
	case foreign != "":
		return step.OK("left as it is: %s", foreign).On("ManagedCluster %s", d.Name)
	case mc == nil:
		return step.OK("there is none").On("ManagedCluster %s", d.Name)
	case mc.DeletionTimestamp != nil:
		return deletingFinding(mc, "being detached"+remainingContent(mc)).On("ManagedCluster %s", d.Name).
			WithHint(
				"oc get managedcluster %s -o yaml shows its conditions; with the hosted cluster gone, multicluster engine "+
					"cannot clean up in it: see docs/delete.md", d.Name)
	}
	return step.Missing("imported by the hypershift addon").On("ManagedCluster %s", d.Name)
}

// remainingContent returns what the hub still has to delete of a ManagedCluster in deletion (multicluster engine 2.5
// and later).
func remainingContent(mc *clusterv1.ManagedCluster) string {
	c := kube.ConditionOf(mc, mc.Status.Conditions, clusterv1.ManagedClusterConditionDeleting)
	if !c.False() || c.Message == "" {
		return ""
	}
	return " (" + c.Reason + ": " + c.Message + ")"
}

// detachedFirst is detached, but also OK after detachTimeout.
func (d *Plan) detachedFirst(ctx context.Context, r kube.Reader) step.Finding {
	f := d.detached(ctx, r)
	if f.State != step.StatePending {
		return f
	}
	mc, _, err := d.managedCluster(ctx, r)
	if err != nil || mc == nil || mc.DeletionTimestamp == nil {
		return f
	}
	if left := detachTimeout - r.Now().Sub(mc.DeletionTimestamp.Time); left > 0 {
		return f.RecheckAfter(left)
	}
	return step.OK("being detached for more than %s: not waited for now, but at the end", detachTimeout).On(
		"ManagedCluster %s", d.Name)
}

func (d *Plan) detach(ctx context.Context) (step.Change, error) {
	mc, _, err := d.managedCluster(ctx, d.client)
	if err != nil || mc == nil {
		return step.Unchanged, err
	}
	return d.client.DeleteUnchanged(ctx, mc)
}

// foreignReason returns why a ManagedCluster of this name was not created by the hypershift addon.
func foreignReason(mc *clusterv1.ManagedCluster) string {
	// "other" is multicluster engine's default if the importer is not known.
	via := mc.Annotations[managedcluster.CreatedViaAnnotation]
	if via != "" && via != "other" && via != managedcluster.CreatedViaHypershift {
		return "it was imported by " + via + ", not by the hypershift addon"
	}
	return "the hypershift addon did not import it"
}
