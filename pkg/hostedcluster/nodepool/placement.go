package nodepool

import (
	"context"
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
)

// PlacementError means that worker VMs would find no place, as their pool requires it.
type PlacementError struct {
	failure.Absence
	// Pool is its name, or those of several.
	Namespace, Pool, Detail string
	// Start tells that the workers are stopped, so that there is no size to choose.
	Start bool
}

// Error says in numbers what is impossible.
func (e *PlacementError) Error() string {
	return fmt.Sprintf("NodePool %s/%s: %s", e.Namespace, e.Pool, e.Detail)
}

// Hint is what could be changed.
func (e *PlacementError) Hint() hint.Text {
	if e.Start {
		return hint.New("more hosts (oc get nodes --show-labels), or a weaker %s: %s", hint.Flag("spread"),
			hint.Run("update nodepool").Flag("help"))
	}
	return hint.New("fewer workers, more hosts, or a weaker %s: %s", hint.Flag("spread"),
		hint.Run("update nodepool", hostedcluster.Argument(e.Namespace, e.Pool)).Flag("help"))
}

// checkStart counts whether the pools of a cluster find places once they have the sizes that a start gives them.
func (p *Power) checkStart(ctx context.Context) error {
	if p.Stop || p.Changes == 0 || !hostedcluster.PlatformOf(p.Cluster).HasVMs() {
		return nil
	}
	var placed []creation.PlacedPool
	var names []string
	for _, c := range p.Pools {
		placed = append(placed, creation.PlacedPoolOf(c.pool, c.To.Max))
		names = append(names, c.Name)
	}
	impossible, err := creation.CountPools(ctx, p.client, p.Cluster.Namespace, p.Cluster.Name, placed...)
	if note := creation.NotCounted(err); note != "" {
		p.Notes = append(p.Notes, note)
		return nil
	}
	if err == nil && impossible != "" {
		err = &PlacementError{Namespace: p.Cluster.Namespace, Pool: strings.Join(names, ", "), Detail: impossible,
			Start: true}
	}
	return err
}

// checkSurge counts whether the one VM more finds a place that a change makes which recreates the pool's VMs. made has
// the fields as they are to be.
func (u *Update) checkSurge(ctx context.Context, made *hyperv1.NodePool) error {
	if len(u.Recreates()) == 0 || !hostedcluster.PlatformOf(u.Cluster).HasVMs() {
		return nil
	}
	changed := u.Pool.DeepCopy()
	for _, c := range u.Changes {
		switch {
		case strings.Contains(c.Path, hyperv1.JSONPatchAnnotation):
			metav1.SetMetaDataAnnotation(&changed.ObjectMeta, hyperv1.JSONPatchAnnotation,
				made.Annotations[hyperv1.JSONPatchAnnotation])
		case strings.HasSuffix(c.Path, ".nodeSelector") && changed.Spec.Platform.Kubevirt != nil:
			changed.Spec.Platform.Kubevirt.NodeSelector = made.Spec.Platform.Kubevirt.NodeSelector
		}
	}
	impossible, err := creation.CountSurge(ctx, u.client, changed)
	if note := creation.NotCounted(err); note != "" {
		u.Notes = append(u.Notes, note)
		return nil
	}
	if err == nil && impossible != "" {
		err = &PlacementError{Namespace: u.Pool.Namespace, Pool: u.Pool.Name,
			Detail: "its VMs are replaced, one more than it has at a time, and that finds no place: " + impossible}
	}
	return err
}

// checkPlacement counts whether a pool of this size finds places beside the cluster's other pools. It fails with
// *PlacementError, or with the error of a read; nothing is read if the pool requires nothing.
func checkPlacement(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool,
	size hostedcluster.Size) error {
	if !hostedcluster.PlatformOf(hc).HasVMs() {
		return nil
	}
	impossible, err := creation.CountPool(ctx, c, pool, size)
	if err == nil && impossible != "" {
		err = &PlacementError{Namespace: pool.Namespace, Pool: pool.Name, Detail: impossible}
	}
	return err
}
