package nodepool

import (
	"context"
	"errors"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The IDs of the steps for one pool.
const (
	poolPrefix          = "pool"
	sizeStep    step.ID = "pool/size"
	deletedStep step.ID = "pool/deleted"
	vanishStep  step.ID = "pool/machines-gone"
	goneStep    step.ID = "pool/gone"
)

const poolGroup = "node pool"

// target is a NodePool as it was read when the change was prepared.
type target struct {
	client *kube.Client
	// Pool is the NodePool as it was read.
	Pool *hyperv1.NodePool
	// Cluster of the pool; nil if it no longer exists.
	Cluster *hyperv1.HostedCluster
}

// find reads a NodePool and its hosted cluster. It returns a *hostedcluster.PoolNotFoundError, a
// *hostedcluster.NotInstalledError or the error of a read.
func find(ctx context.Context, c *kube.Client, namespace, name string) (target, error) {
	np, err := hostedcluster.FindPool(ctx, c, namespace, name)
	if err != nil {
		return target{}, err
	}
	hc, err := hostedcluster.Find(ctx, c, namespace, np.Spec.ClusterName)
	var gone *hostedcluster.NotFoundError
	if errors.As(err, &gone) {
		hc, err = nil, nil
	}
	return target{client: c, Pool: np, Cluster: hc}, err
}

// checkWritable returns an error if the operator would ignore a change: the pool or cluster is paused, is being deleted
// or no longer exists.
func (t target) checkWritable(now time.Time) error {
	switch {
	case t.Pool.DeletionTimestamp != nil:
		return fmt.Errorf("NodePool %s is being deleted since %s", kube.Name(t.Pool),
			t.Pool.DeletionTimestamp.UTC().Format(time.RFC3339))
	case t.Cluster == nil:
		return fmt.Errorf("NodePool %s belongs to the hosted cluster %q, which does not exist: its operator would do "+
			"nothing about a change", kube.Name(t.Pool), t.Pool.Spec.ClusterName)
	case t.Cluster.DeletionTimestamp != nil:
		return fmt.Errorf("HostedCluster %s is being deleted since %s, its NodePools with it", kube.Name(t.Cluster),
			t.Cluster.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	return hostedcluster.CheckNotPaused(t.Cluster, t.Pool, now)
}

// follow returns the steps that wait for the pool.
func (t target) follow(prefix string, stillWanted func(*hyperv1.NodePool) (step.Finding, bool),
	needs ...step.ID) []step.Step {
	var platform hostedcluster.Platform
	if t.Cluster != nil {
		platform = hostedcluster.PlatformOf(t.Cluster)
	}
	return follow.Pool{
		Client: t.client, Namespace: t.Pool.Namespace, Name: t.Pool.Name, Prefix: prefix, Group: poolGroup, Needs: needs,
		StillWanted: stillWanted, Platform: platform,
	}.Steps()
}
