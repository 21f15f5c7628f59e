package nodepool

import (
	"context"
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// PlacementError means that worker VMs cannot be placed as their pool requires.
type PlacementError struct {
	failure.Absence
	// Pool is the name of the pool, or the names of several.
	Namespace, Pool, Detail string
	// Start is set if the workers are stopped, so the user cannot choose a smaller size.
	Start bool
	// Next is the hint, if a special one is known.
	Next hint.Text
}

// Error returns what is impossible, in numbers.
func (e *PlacementError) Error() string {
	return fmt.Sprintf("NodePool %s/%s: %s", e.Namespace, e.Pool, e.Detail)
}

// Hint returns what the user can change.
func (e *PlacementError) Hint() hint.Text {
	if !e.Next.IsZero() {
		return e.Next
	}
	if e.Start {
		return hint.New("more hosts (oc get nodes --show-labels), or a weaker %s: %s", hint.Flag("spread"),
			hint.Run("update nodepool").Flag("help"))
	}
	return hint.New("fewer workers, more hosts, or a weaker %s: %s", hint.Flag("spread"),
		hint.Run("update nodepool", hostedcluster.Argument(e.Namespace, e.Pool)).Flag("help"))
}

// checkStart checks whether the pools of a cluster can be placed with the sizes that a start restores.
func (p *Power) checkStart(ctx context.Context) error {
	if p.Stop || p.Changes == 0 || !hostedcluster.PlatformOf(p.Cluster).KubeVirt() {
		return nil
	}
	var placed []creation.PlacedPool
	var names []string
	for _, c := range p.Pools {
		placed = append(placed, creation.PlacedPoolOf(c.pool, c.To))
		names = append(names, c.Name)
	}
	count, err := creation.CountPools(ctx, p.client, p.Cluster, placed...)
	if note := creation.NotCounted(err); note != "" {
		p.Notes = append(p.Notes, note)
		return nil
	}
	if err == nil && count.Impossible != "" {
		err = &PlacementError{Namespace: p.Cluster.Namespace, Pool: strings.Join(names, ", "), Detail: count.Impossible,
			Start: true, Next: count.Next}
	}
	return err
}

// changed returns the pool with the changes applied.
func (u *Update) changed() (*hyperv1.NodePool, error) {
	values, err := values(u.Pool)
	if err != nil {
		return nil, err
	}
	for _, c := range u.Changes {
		if c.Want == nil {
			unstructured.RemoveNestedField(values, c.Keys...)
		} else if err := unstructured.SetNestedField(values, runtime.DeepCopyJSONValue(c.Want), c.Keys...); err != nil {
			return nil, err
		}
	}
	changed := &hyperv1.NodePool{}
	return changed, runtime.DefaultUnstructuredConverter.FromUnstructured(values, changed)
}

// checkReplacement checks whether the changed VMs can be placed, plus the one more VM that a replacement needs.
func (u *Update) checkReplacement(ctx context.Context) error {
	if len(u.Recreates()) == 0 || !hostedcluster.PlatformOf(u.Cluster).KubeVirt() {
		return nil
	}
	changed, err := u.changed()
	if err != nil {
		return err
	}
	note, err := checkNamed(ctx, u.client, u.Cluster, changed)
	if err != nil {
		return err
	}
	u.Notes = append(u.Notes, note...)
	count, err := creation.CountReplacement(ctx, u.client, u.Cluster, changed)
	if note := creation.NotCounted(err); note != "" {
		u.Notes = append(u.Notes, note)
		return nil
	}
	if err == nil && count.Impossible != "" {
		err = &PlacementError{Namespace: u.Pool.Namespace, Pool: u.Pool.Name,
			Detail: "its VMs are replaced, one more than it has at a time, and that finds no place: " + count.Impossible,
			Next:   count.Next}
	}
	return err
}

// checkPlacement checks whether a pool of this size can be placed in addition to the cluster's other pools. It returns
// a *PlacementError, or the error of a read; it reads nothing if the pool has no requirements. The notes report that
// the infrastructure cluster could not be read.
func checkPlacement(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool,
	size hostedcluster.Size) (notes []string, err error) {
	platform := hostedcluster.PlatformOf(hc)
	if !platform.KubeVirt() {
		return nil, nil
	}
	count, err := creation.CountPool(ctx, c, hc, pool, size)
	if note := creation.NotCounted(err); note != "" && platform.Elsewhere() {
		return []string{note}, nil
	}
	if err == nil && count.Impossible != "" {
		err = &PlacementError{Namespace: pool.Namespace, Pool: pool.Name, Detail: count.Impossible, Next: count.Next}
	}
	return nil, err
}

// checkNamed returns a *PlacementError if networks or the StorageClass that the pool's VMs need do not exist, or the
// error of a read. The notes report what could not be read.
func checkNamed(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool) (notes []string,
	err error) {
	f, err := creation.NamedByPool(ctx, c, hc, pool)
	switch note := creation.NotCounted(err); {
	case note != "":
		return []string{note}, nil
	case err != nil || f.State == step.StateOK:
		return nil, err
	case f.State == step.StateUnknown:
		return []string{f.Object + ": " + f.Message}, nil
	}
	next := f.Hint
	if next.IsZero() {
		next = hint.New("name what is there: oc get storageclasses; oc get network-attachment-definitions -A")
	}
	return nil, &PlacementError{Namespace: pool.Namespace, Pool: pool.Name, Detail: f.Object + ": " + f.Message,
		Next: next}
}
