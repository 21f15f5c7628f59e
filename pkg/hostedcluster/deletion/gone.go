package deletion

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// nodePoolsGone is OK once no NodePool of the cluster exists, including those that remained after their HostedCluster.
func (d *Plan) nodePoolsGone(ctx context.Context, r kube.Reader) step.Finding {
	pools, err := d.nodePools(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("NodePools in namespace %s", d.Namespace)
	}
	for i := range pools {
		if pools[i].DeletionTimestamp == nil {
			return step.Missing("still there").On("NodePool %s", kube.Name(&pools[i]))
		}
	}
	if len(pools) == 0 {
		return step.OK("gone").On("NodePools of HostedCluster %s", d.key())
	}
	return d.withOperatorDown(ctx, r, d.poolProgress(ctx, r, &pools[0]))
}

func (d *Plan) deleteNodePools(ctx context.Context) (step.Change, error) {
	pools, err := d.nodePools(ctx, d.client)
	if err != nil {
		return "", fmt.Errorf("list NodePools in namespace %s: %w", d.Namespace, err)
	}
	var left []client.Object
	for i := range pools {
		left = append(left, &pools[i])
	}
	return d.removeAll(ctx, left)
}

// controlPlaneGone is OK once the control plane namespace does not exist. If the namespace remained after its
// HostedCluster, it is removed in the order of its operators: those that remove finalizers run in it and must be
// deleted last.
func (d *Plan) controlPlaneGone(ctx context.Context, r kube.Reader) step.Finding {
	ns, err := d.controlPlane(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", d.controlPlaneName())
	case ns == nil:
		return step.OK("gone").On("Namespace %s", d.controlPlaneName())
	case ns.DeletionTimestamp != nil:
		return d.remainingFinding(ctx, r, ns)
	}
	kind, next, err := d.nextOfControlPlane(ctx, r, ns)
	switch {
	case err != nil:
		return kube.Unknown(err).On("HostedControlPlane %s/%s", ns.Name, d.Name)
	case next.GetDeletionTimestamp() == nil:
		return step.Missing("outlived its HostedCluster").On("%s %s", kind, kube.Name(next))
	}
	return deletingFinding(next, "being removed").On("%s %s", kind, kube.Name(next))
}

// nextOfControlPlane returns the next object to delete: Cluster API's Cluster, then the HostedControlPlane, then the
// namespace.
func (d *Plan) nextOfControlPlane(
	ctx context.Context, r kube.Reader, ns *corev1.Namespace) (string, client.Object, error) {
	if clusters := d.clusterAPI(ctx, r, "clusters"); len(clusters) > 0 {
		return "Cluster API's Cluster", &clusters[0], nil
	}
	hcp, err := d.hostedControlPlane(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return "", nil, err
	}
	if err == nil && hcp != nil {
		return "HostedControlPlane", hcp, nil
	}
	return "Namespace", ns, nil
}

func (d *Plan) deleteControlPlane(ctx context.Context) (step.Change, error) {
	ns, err := d.controlPlane(ctx, d.client)
	if err != nil || ns == nil {
		return step.Unchanged, err
	}
	_, next, err := d.nextOfControlPlane(ctx, d.client, ns)
	if err != nil {
		return "", fmt.Errorf("read HostedControlPlane %s/%s: %w", ns.Name, d.Name, err)
	}
	return d.client.DeleteByUID(ctx, next)
}

// removeAll deletes the objects that are not in deletion yet.
func (d *Plan) removeAll(ctx context.Context, objects []client.Object) (step.Change, error) {
	change := step.Unchanged
	for _, obj := range objects {
		if obj.GetDeletionTimestamp() != nil {
			continue
		}
		one, err := d.client.DeleteUnchanged(ctx, obj)
		if err != nil {
			return change, err
		}
		change = step.Join(change, one)
	}
	return change, nil
}
