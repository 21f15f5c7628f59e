package nodepool

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
)

// PlacementError means that worker VMs would find no place, as their pool requires it.
type PlacementError struct{ Namespace, Pool, Detail string }

// Error says in numbers what is impossible.
func (e *PlacementError) Error() string {
	return fmt.Sprintf("NodePool %s/%s: %s", e.Namespace, e.Pool, e.Detail)
}

// Hint is what could be changed.
func (e *PlacementError) Hint() string {
	return "fewer workers, more hosts, or a weaker --spread: hcctl update nodepool " +
		hostedcluster.Argument(e.Namespace, e.Pool) + " --help"
}

// ExitCode is that of what is missing.
func (*PlacementError) ExitCode() int { return 3 }

// checkPlacement counts whether a pool of this size finds places beside the cluster's other pools. It fails with
// *PlacementError, or with the error of a read; nothing is read if the pool requires nothing.
func checkPlacement(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool,
	size hostedcluster.Size) error {
	if follow.ExternalInfra(hc) {
		return nil
	}
	impossible, err := creation.CountPool(ctx, c, pool, size)
	if err == nil && impossible != "" {
		err = &PlacementError{Namespace: pool.Namespace, Pool: pool.Name, Detail: impossible}
	}
	return err
}
