package deletion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/step"
)

// servingPools returns the IPAddressPools that create added the cluster to (--metallb-pool). It reads all namespaces,
// because MetalLB may have moved since.
func (d *Plan) servingPools(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	pools := kube.IPAddressPool.NewList()
	err := r.List(ctx, pools)
	if apierrors.IsForbidden(err) { // the role may be only for MetalLB's namespace
		err = r.List(ctx, pools, client.InNamespace(metallb.DefaultNamespace))
	}
	if kube.IsKindMissing(err) {
		return nil, nil
	}
	return slices.DeleteFunc(pools.Items, func(u unstructured.Unstructured) bool {
		return len(d.boundNamespaces(&u)) == 0
	}), err
}

// boundNamespaces returns the cluster's namespaces that hcctl added to a pool: the control plane namespace and the
// services namespace.
func (d *Plan) boundNamespaces(pool *unstructured.Unstructured) []string {
	return slices.DeleteFunc(d.ownNamespaces(), func(namespace string) bool {
		m := hostedcluster.ParsePoolMark(pool.GetAnnotations()[hostedcluster.ServesPrefix+namespace])
		m.InfraID = d.InfraID // a PoolMark has no InfraID
		return !d.marked(m)
	})
}

func (d *Plan) ownNamespaces() []string { return []string{d.controlPlaneName(), d.servicesName()} }

// servesOnlyCluster reports whether the pool serves only the cluster's namespaces. Such a pool is not changed: without
// any namespace it would serve all clusters.
func (d *Plan) servesOnlyCluster(pool *unstructured.Unstructured) bool {
	namespaces := hostedcluster.PoolNamespaces(pool)
	return len(namespaces) > 0 &&
		!slices.ContainsFunc(namespaces, func(n string) bool { return !slices.Contains(d.ownNamespaces(), n) })
}

// findPools finds the pools that create added the cluster to. It adds a note to Left if the user may not list pools.
func (d *Plan) findPools(ctx context.Context, r kube.Reader) error {
	pools, err := d.servingPools(ctx, r)
	if apierrors.IsForbidden(err) {
		d.Left = append(d.Left, fmt.Sprintf("IPAddressPools that may serve it (%s): %s", hint.Flag("metallb-pool"),
			kube.Explain(err)))
		return nil
	}
	if err != nil {
		return fmt.Errorf("list IPAddressPools: %w", err)
	}
	for i := range pools {
		if d.servesOnlyCluster(&pools[i]) {
			d.Left = append(d.Left,
				fmt.Sprintf("IPAddressPool %s: it serves namespace %s and no other; without that it would be open to all",
					kube.Name(&pools[i]), d.controlPlaneName()))
			continue
		}
		d.hasAddressPool = true
		d.addOutside("namespace %s in IPAddressPool %s", strings.Join(d.boundNamespaces(&pools[i]), " and "),
			kube.Name(&pools[i]))
	}
	return nil
}

// poolsReleased is OK once hcctl's bindings of the cluster's namespaces are removed from all pools.
func (d *Plan) poolsReleased(ctx context.Context, r kube.Reader) step.Finding {
	pools, err := d.servingPools(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("IPAddressPools")
	}
	for i := range pools {
		if !d.servesOnlyCluster(&pools[i]) {
			return step.Missing("still serves namespace %s", d.boundNamespaces(&pools[i])[0]).
				On("IPAddressPool %s", kube.Name(&pools[i]))
		}
	}
	return step.OK("hcctl has bound none to namespace %s", d.controlPlaneName()).On("IPAddressPools")
}

// releasePools removes the cluster's namespaces and their annotations from the pools.
func (d *Plan) releasePools(ctx context.Context) (step.Change, error) {
	pools, err := d.servingPools(ctx, d.client)
	if err != nil {
		return "", fmt.Errorf("list IPAddressPools: %w", err)
	}
	change := step.Unchanged
	for i := range pools {
		pool := &pools[i]
		if d.servesOnlyCluster(pool) {
			continue
		}
		pool.SetGroupVersionKind(kube.IPAddressPool.GroupVersionKind)
		bound, annotations := d.boundNamespaces(pool), map[string]any{}
		for _, namespace := range bound {
			annotations[hostedcluster.ServesPrefix+namespace] = nil
		}
		fields := map[string]any{"metadata": map[string]any{"annotations": annotations}}
		namespaces := hostedcluster.PoolNamespaces(pool)
		others := slices.DeleteFunc(slices.Clone(namespaces), func(n string) bool { return slices.Contains(bound, n) })
		if len(others) < len(namespaces) {
			fields["spec"] = map[string]any{"serviceAllocation": map[string]any{"namespaces": others}}
		}
		one, err := hostedcluster.Edit(ctx, d.client, pool, fields)
		if err != nil {
			return change, fmt.Errorf("IPAddressPool %w", err)
		}
		change = step.Join(change, one)
	}
	return change, nil
}
