package status

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// managedKind is the kind of the part about the cluster's state at the hub of Open Cluster Management.
const managedKind = "ManagedCluster"

// joinGrace is how long a new ManagedCluster may take to join before a warning.
const joinGrace = 10 * time.Minute

// managed is a cluster's ManagedCluster, with the reason why it is not available.
type managed struct {
	cluster *clusterv1.ManagedCluster
	trouble managedcluster.Trouble
	err     error
}

// readManaged reads the ManagedCluster. v.managed stays nil without multicluster engine, if the user may not read it,
// and if the ManagedCluster of that name belongs to another cluster.
func (v *snapshot) readManaged(ctx context.Context, r kube.Reader) {
	mc := &clusterv1.ManagedCluster{}
	err := r.Get(ctx, client.ObjectKey{Name: managedcluster.NameOf(v.hc)}, mc)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), kube.IsKindMissing(err):
	case err != nil:
		v.managed = &managed{err: err}
	case managedcluster.Foreign(mc, v.hc) == "":
		v.managed = &managed{cluster: mc, trouble: managedcluster.Diagnose(ctx, r, mc)}
	}
}

// managedCluster judges the ManagedCluster; the zero Part means that there is none. It is never worse than a warning,
// because the hosted cluster works without it.
func (v *snapshot) managedCluster(phase Phase) Part {
	switch {
	case v.managed == nil:
		return Part{}
	case v.managed.err != nil:
		return unread(managedKind, "the ManagedCluster cannot be read: "+kube.Explain(v.managed.err))
	}
	mc := v.managed.cluster
	p := Part{Kind: managedKind, Name: mc.Name, Health: OK, Message: string(managedcluster.StateOf(mc))}
	if set := mc.Labels[managedcluster.SetLabel]; set != "" {
		p.Message += ", in set " + set
	}
	if v.managed.trouble.Message == "" || phase == Deleting {
		return p
	}
	p.Message, p.Hint = v.managed.trouble.Message, v.managed.trouble.Hint
	if v.now.Sub(mc.CreationTimestamp.Time) > joinGrace || managedcluster.StateOf(mc) == managedcluster.NotAccepted {
		p.Health = Warning
	}
	return p
}

// Managed maps the names of hosted clusters to the states of their ManagedClusters, for Resource.WithManaged.
type Managed map[string]managedcluster.State

// ReadManaged reads the state of each hosted cluster's ManagedCluster. Without multicluster engine there are none. It
// returns the error of the read.
func ReadManaged(ctx context.Context, r kube.Reader) (Managed, error) {
	states := Managed{}
	list := &clusterv1.ManagedClusterList{}
	err := r.ListPages(ctx, list, func() {
		for i := range list.Items {
			if mc := &list.Items[i]; mc.Annotations[managedcluster.DeployModeAnnotation] == managedcluster.HostedMode {
				states[mc.Name] = managedcluster.StateOf(mc)
			}
		}
	})
	if err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return states, nil
}
