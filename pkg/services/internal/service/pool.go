package service

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/metallb"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// pool is the IPAddressPool of the tenant: that of --metallb-pool, or the one that --metallb-addresses made. Nil means
// that it has none, so that the load balancer chooses.
func (t Tenant) pool(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	home, err := metallb.Home(ctx, r)
	if home == "" && (err == nil || apierrors.IsForbidden(err)) {
		home, err = metallb.DefaultNamespace, nil
	}
	if err != nil {
		return nil, fmt.Errorf("where MetalLB runs: %w", err)
	}
	own := hostedcluster.ControlPlaneNamespace(t.Cluster.Namespace, t.Cluster.Name)
	name := t.Options.MetalLBPool
	if name == "" {
		name = own
	}
	pool := kube.IPAddressPool.New()
	err = r.Get(ctx, client.ObjectKey{Namespace: home, Name: name}, pool)
	switch {
	case apierrors.IsNotFound(err), kube.IsKindMissing(err), apierrors.IsForbidden(err) && t.Options.MetalLBPool == "":
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("IPAddressPool %s/%s: %w", home, name, err)
	case name == own && t.Options.MetalLBPool == "" && !t.same(hostedcluster.MarkOf(pool)):
		return nil, nil
	}
	return pool, nil
}

// checkPool is missing where the tenant's pool does not serve the namespace of its services yet. A pool for every
// namespace stays one: naming namespaces would close it to all others.
func (t Tenant) checkPool(ctx context.Context, r kube.Reader) *step.Finding {
	pool, err := t.pool(ctx, r)
	if err != nil {
		f := kube.Unknown(err).On("IPAddressPools")
		return &f
	}
	if pool == nil {
		return nil
	}
	serves := hostedcluster.PoolNamespaces(pool)
	if len(serves) == 0 || slices.Contains(serves, t.Namespace()) {
		return nil
	}
	f := step.Missing("is for %v, not yet for %s", serves, t.Namespace()).On("IPAddressPool %s", kube.Name(pool))
	return &f
}

// openPool has the tenant's pool serve the namespace of its services. An annotation remembers that hcctl put it there.
func (t Tenant) openPool(ctx context.Context) (step.Change, error) {
	pool, err := t.pool(ctx, t.Client)
	if err != nil || pool == nil {
		return step.Unchanged, err
	}
	serves := hostedcluster.PoolNamespaces(pool)
	if len(serves) == 0 || slices.Contains(serves, t.Namespace()) {
		return step.Unchanged, nil
	}
	mark := hostedcluster.PoolMark(kube.Name(t.Cluster), t.Cluster.UID)
	return t.editPool(ctx, pool, append(serves, t.Namespace()), mark)
}

// closePool takes the namespace out of the tenant's pool again if hcctl put it there, unless the pool would be open to
// all without it.
func (t Tenant) closePool(ctx context.Context) (step.Change, error) {
	pool, err := t.pool(ctx, t.Client)
	if err != nil || pool == nil {
		return step.Unchanged, err
	}
	key := hostedcluster.ServesPrefix + t.Namespace()
	others := slices.DeleteFunc(hostedcluster.PoolNamespaces(pool), func(n string) bool { return n == t.Namespace() })
	if !t.same(hostedcluster.ParsePoolMark(pool.GetAnnotations()[key])) || len(others) == 0 {
		return step.Unchanged, nil
	}
	return t.editPool(ctx, pool, others, nil)
}

func (t Tenant) editPool(ctx context.Context, pool *unstructured.Unstructured, namespaces []string, mark any) (
	step.Change, error,
) {
	change, err := hostedcluster.Edit(ctx, t.Client, pool, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{hostedcluster.ServesPrefix + t.Namespace(): mark}},
		"spec":     map[string]any{"serviceAllocation": map[string]any{"namespaces": namespaces}},
	})
	if err != nil {
		return "", fmt.Errorf("IPAddressPool %w", err)
	}
	return change, nil
}

// PoolName is the pool to take addresses from; empty where the load balancer chooses.
func (t Tenant) PoolName(ctx context.Context, r kube.Reader) (string, error) {
	pool, err := t.pool(ctx, r)
	if err != nil || pool == nil {
		return "", err
	}
	return pool.GetName(), nil
}

// OutsideRights are the rules of every service outside of the hosted cluster.
func OutsideRights() Rights {
	const pools = "ipaddresspools.metallb.io"
	return Rights{
		Check: []rule.Rule{
			{Verbs: "get list watch", Resources: "namespaces", Names: rule.ServicesNamespace,
				Why: "the namespace of the cluster's services"},
			{Verbs: "list", Resources: "metallbs.metallb.io", Why: "in which namespace MetalLB reads pools"},
			{Verbs: "get list watch", Resources: pools, At: rule.In(metallb.DefaultNamespace),
				Why: "the cluster's pool of addresses"},
		},
		Apply: []rule.Rule{
			{Verbs: "create", Resources: "namespaces", Why: "makes the namespace of the cluster's services"},
			{Verbs: "patch", Resources: pools, At: rule.In(metallb.DefaultNamespace),
				Why: "has the cluster's pool serve that namespace"},
		},
		Remove: []rule.Rule{{Verbs: "delete", Resources: "namespaces", Names: rule.ServicesNamespace,
			Why: "removes it with the last service, or with the cluster"}},
	}
}
