package creation

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/step"
)

// poolOfAddresses has an existing IPAddressPool serve the cluster. HyperShift makes the API server's Service, and
// passes no annotation on to it, so the pool cannot be asked for there; but MetalLB takes a pool whose
// serviceAllocation names a Service's namespace before all others (allocator of MetalLB v0.15). So the control plane's
// namespace is added to those that the pool is for. A pool that is for everybody stays so: naming one namespace would
// close it to all others. An annotation remembers who put the namespace there, for delete.
func (p *Plan) poolOfAddresses() step.Step {
	return step.Step{
		ID:    addressPoolStep,
		Title: "IPAddressPool " + p.Options.MetalLBPool,
		Group: ObjectsGroup,
		Needs: []step.ID{namespaceStep},
		Check: p.client.Reading(p.poolServes),
		Apply: p.openPool,
	}
}

// findMetalLB finds the namespace whose pools MetalLB reads, for a cluster that gets its addresses of one. Where no
// MetalLB is to be seen it is metallb-system.
func (p *Plan) findMetalLB(ctx context.Context, r kube.Reader) error {
	if p.Options.MetalLBPool == "" && len(p.Options.MetalLBAddresses) == 0 {
		return nil
	}
	home, err := metallb.Home(ctx, r)
	if err != nil && !apierrors.IsForbidden(err) {
		return fmt.Errorf("where MetalLB runs: %w", err)
	}
	p.Inputs.MetalLBNamespace = home
	return nil
}

func (p *Plan) poolServes(ctx context.Context, r kube.Reader) step.Finding {
	pool, err := p.addressPool(ctx, r)
	object := "IPAddressPool " + p.Inputs.MetalLB() + "/" + p.Options.MetalLBPool
	switch {
	case kube.IsKindMissing(err):
		return step.Broken(
			"MetalLB is not installed: the API server does not know IPAddressPools",
		).On(
			"%s",
			object,
		).WithHint(
			"%s installs it", hint.Run("bootstrap"),
		)
	case apierrors.IsNotFound(err):
		return step.Broken(
			"does not exist",
		).On(
			"%s",
			object,
		).WithHint(
			"oc get ipaddresspools -n %s lists those there are; %s makes one for this cluster", p.Inputs.MetalLB(),
			hint.Flag("metallb-addresses"),
		)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	}
	p.known.note(kube.IPAddressPool.GroupVersionKind, pool)
	namespaces := hostedcluster.PoolNamespaces(pool)
	if m := hostedcluster.ParsePoolMark(
		pool.GetAnnotations()[hostedcluster.ServesPrefix+p.controlPlane()],
	); m.Cluster != "" &&
		m.Cluster != p.key().String() {
		return step.Broken(
			"serves namespace %s for HostedCluster %q, whose control plane's namespace has the same name",
			p.controlPlane(),
			m.Cluster,
		).
			On(
				"%s",
				object,
			).WithHint(
			"choose another %s", hint.Flag("name"),
		)
	}
	assigns, given, _ := unstructured.NestedBool(pool.Object, "spec", "autoAssign")
	switch {
	case given && !assigns:
		return step.Broken(
			"spec.autoAssign is false, so MetalLB gives none of its addresses to a Service that does not name it, and "+
				"HyperShift's do not",
		).On(
			"%s",
			object,
		).
			WithHint(
				`%s makes a pool for this cluster; or: oc patch ipaddresspool %s -n %s --type merge -p `+
					`'{"spec":{"autoAssign":true}}'`, hint.Flag("metallb-addresses"), pool.GetName(), p.Inputs.MetalLB(),
			)
	case slices.Contains(namespaces, p.controlPlane()):
		return step.OK("serves namespace %s", p.controlPlane()).On("%s", object)
	case len(namespaces) == 0:
		return step.Broken(
			"is not for chosen namespaces (spec.serviceAllocation.namespaces is empty); binding this cluster to it would "+
				"close it to all others",
		).On(
			"%s",
			object,
		).
			WithHint(
				"%s makes a pool for this cluster", hint.Flag("metallb-addresses"),
			)
	}
	return step.Missing("is for %v, not yet for %s", namespaces, p.controlPlane()).On("%s", object)
}

func (p *Plan) openPool(ctx context.Context) (step.Change, error) {
	pool, err := p.addressPool(ctx, p.client)
	if err != nil {
		return "", fmt.Errorf("IPAddressPool %s: %w", p.Options.MetalLBPool, err)
	}
	before := pool.DeepCopy()
	namespaces := append(hostedcluster.PoolNamespaces(pool), p.controlPlane())
	if err := unstructured.SetNestedStringSlice(
		pool.Object,
		namespaces,
		"spec",
		"serviceAllocation",
		"namespaces",
	); err != nil {
		return "", fmt.Errorf("IPAddressPool %s: %w", p.Options.MetalLBPool, err)
	}
	annotations := pool.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[hostedcluster.ServesPrefix+p.controlPlane()] = hostedcluster.PoolMark(p.key().String(), p.Inputs.UID)
	pool.SetAnnotations(annotations)
	// The lock: two creates at once must not lose each other's namespace.
	patch := client.MergeFromUnchanged(before)
	if err := p.client.Patch(ctx, pool, patch, client.FieldOwner(kube.FieldOwner)); err != nil {
		return "", fmt.Errorf("IPAddressPool %s: %w", p.Options.MetalLBPool, err)
	}
	p.known.note(kube.IPAddressPool.GroupVersionKind, pool)
	return step.Configured, nil
}

func (p *Plan) addressPool(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	pool := kube.IPAddressPool.New()
	err := r.Get(
		ctx,
		client.ObjectKey{Namespace: p.Inputs.MetalLB(), Name: p.Options.MetalLBPool},
		pool,
	)
	return pool, err
}

func (p *Plan) controlPlane() string {
	return hostedcluster.ControlPlaneNamespace(p.Options.Namespace, p.Options.Name)
}
