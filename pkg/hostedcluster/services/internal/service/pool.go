package service

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/step"
)

// pool returns the tenant's IPAddressPool: that of --metallb-pool, or the one that --metallb-addresses created. It
// returns nil if there is none, so the load balancer chooses. It reads live, because no step waits for a change of a
// pool.
func (t Tenant) pool(ctx context.Context) (*unstructured.Unstructured, error) {
	home, err := metallb.Home(ctx, t.Client)
	if home == "" && (err == nil || apierrors.IsForbidden(err)) {
		home, err = metallb.DefaultNamespace, nil
	}
	if err != nil {
		return nil, fmt.Errorf("where MetalLB runs: %w", err)
	}
	own := hostedcluster.ControlPlaneNamespace(t.Cluster.Namespace, t.Cluster.Name)
	name := cmp.Or(t.Options.MetalLBPool, own)
	pools := kube.IPAddressPool.NewList()
	err = t.Client.List(ctx, pools)
	switch {
	case kube.IsKindMissing(err), apierrors.IsForbidden(err) && t.Options.MetalLBPool == "":
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("IPAddressPools: %w", err)
	}
	for i := range pools.Items {
		pool := &pools.Items[i]
		if pool.GetNamespace() == home && pool.GetName() == name &&
			(name == t.Options.MetalLBPool || t.same(hostedcluster.MarkOf(pool))) {
			pool.SetGroupVersionKind(kube.IPAddressPool.GroupVersionKind)
			return pool, nil
		}
	}
	return nil, nil
}

// checkPool returns Missing if the tenant's pool does not serve the namespace of its services yet. A pool for all
// namespaces is left unchanged: listing namespaces would close it to all others.
func (t Tenant) checkPool(ctx context.Context) *step.Finding {
	pool, err := t.pool(ctx)
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

// openPool adds the namespace of the tenant's services to its pool. An annotation records that hcctl added it.
func (t Tenant) openPool(ctx context.Context) (step.Change, error) {
	pool, err := t.pool(ctx)
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

// closePool removes the namespace from the tenant's pool if hcctl added it. It does not remove the last namespace,
// because that would open the pool to all.
func (t Tenant) closePool(ctx context.Context) (step.Change, error) {
	pool, err := t.pool(ctx)
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
	step.Change, error) {
	change, err := hostedcluster.Edit(ctx, t.Client, pool, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{hostedcluster.ServesPrefix + t.Namespace(): mark}},
		"spec":     map[string]any{"serviceAllocation": map[string]any{"namespaces": namespaces}},
	})
	if err != nil {
		return "", fmt.Errorf("IPAddressPool %w", err)
	}
	return change, nil
}

// PoolName returns the name of the tenant's pool, or "" if the load balancer chooses.
func (t Tenant) PoolName(ctx context.Context) (string, error) {
	pool, err := t.pool(ctx)
	if err != nil || pool == nil {
		return "", err
	}
	return pool.GetName(), nil
}

// RefuseAddress returns an error if the pool in the options does not contain the requested address. The zero value of
// at means any address. Only the load balancer knows whether the address is free.
func (t Tenant) RefuseAddress(ctx context.Context, field string, at netip.Addr) error {
	if !at.IsValid() || t.Options.MetalLBPool == "" {
		return nil
	}
	pool, err := t.pool(ctx)
	if err != nil || pool == nil {
		return err // a missing pool has its own error
	}
	lines := kube.Texts(pool, "spec", "addresses")
	if slices.ContainsFunc(lines, func(line string) bool { return options.InAddresses(line, at) }) {
		return nil
	}
	return options.Errorf(field, at.String(), "is not among the addresses of IPAddressPool %s: %s", pool.GetName(),
		strings.Join(lines, ", "))
}

// OutsideRights are the RBAC rules that every service outside the hosted cluster needs.
func OutsideRights() Rights {
	const pools = "ipaddresspools.metallb.io"
	return Rights{
		Check: []access.Rule{
			{Verbs: "get list watch", Resources: "namespaces", Names: access.ServicesNamespace,
				Why: "the namespace of the cluster's services"},
			{Verbs: "list", Resources: "metallbs.metallb.io " + pools, Unwatched: true,
				Why: "the cluster's pool of addresses, if it has one"},
		},
		Apply: []access.Rule{
			{Verbs: "create", Resources: "namespaces", Unless: access.ByName,
				Why: "makes the namespace of a cluster's services; for named clusters it is printed with the roles"},
			{Verbs: "patch", Resources: pools, At: access.In(metallb.DefaultNamespace),
				Features: []access.Feature{access.OwnAddresses}, Why: "has the cluster's pool serve that namespace"},
		},
		Remove: []access.Rule{{Verbs: "delete", Resources: "namespaces", Names: access.ServicesNamespace,
			Why: "removes it with the last service, or with the cluster"}},
	}
}
