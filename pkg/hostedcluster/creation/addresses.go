package creation

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/step"
)

// bindPoolStep returns the step that adds the control plane namespace to the namespaces that an existing
// IPAddressPool serves. HyperShift creates the API server's Service and copies no annotation to it, so the Service
// cannot name a pool; but MetalLB prefers a pool whose serviceAllocation has the Service's namespace (allocator of
// MetalLB v0.15). A pool without namespaces is not changed: the first namespace would exclude all others. An annotation
// records for delete that hcctl added the namespace.
func (p *Plan) bindPoolStep() step.Step {
	return step.Step{
		ID:    addressPoolStep,
		Title: "IPAddressPool " + p.Options.MetalLBPool,
		Group: ObjectsGroup,
		Needs: []step.ID{namespaceStep},
		Check: p.client.Reading(p.checkPoolServes),
		Apply: p.bindPool,
	}
}

// findMetalLB finds the namespace of MetalLB's pools, if the cluster gets addresses from a pool. If MetalLB cannot be
// found it is metallb-system.
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

func (p *Plan) checkPoolServes(ctx context.Context, r kube.Reader) step.Finding {
	pool, err := p.addressPool(ctx, r)
	object := "IPAddressPool " + p.Inputs.MetalLB() + "/" + p.Options.MetalLBPool
	switch {
	case kube.IsKindMissing(err):
		return step.Broken("MetalLB is not installed: the API server does not know IPAddressPools").On("%s",
			object).WithHint("%s installs it", hint.Run("bootstrap"))
	case apierrors.IsNotFound(err):
		return step.Broken("does not exist").On("%s", object).WithHint(
			"oc get ipaddresspools -n %s lists those there are; %s makes one for this cluster", p.Inputs.MetalLB(),
			hint.Flag("metallb-addresses"))
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	}
	p.cache.store(kube.IPAddressPool.GroupVersionKind, pool)
	namespaces := hostedcluster.PoolNamespaces(pool)
	if m := hostedcluster.ParsePoolMark(
		pool.GetAnnotations()[hostedcluster.ServesPrefix+p.controlPlane()]); m.Cluster != "" &&
		m.Cluster != p.key().String() {
		return step.Broken("serves namespace %s for HostedCluster %q, whose control plane's namespace has the same name",
			p.controlPlane(), m.Cluster).
			On("%s", object).WithHint("choose another %s", hint.Flag("name"))
	}
	assigns, given, _ := unstructured.NestedBool(pool.Object, "spec", "autoAssign")
	switch {
	case given && !assigns:
		return step.Broken(
			"spec.autoAssign is false, so MetalLB gives none of its addresses to a Service that does not name it, and "+
				"HyperShift's do not").On("%s", object).
			WithHint(`%s makes a pool for this cluster; or: oc patch ipaddresspool %s -n %s --type merge -p `+
				`'{"spec":{"autoAssign":true}}'`, hint.Flag("metallb-addresses"), pool.GetName(), p.Inputs.MetalLB())
	case slices.Contains(namespaces, p.controlPlane()):
		return step.OK("serves namespace %s", p.controlPlane()).On("%s", object)
	case len(namespaces) == 0:
		return step.Broken(
			"is not for chosen namespaces (spec.serviceAllocation.namespaces is empty); binding this cluster to it would "+
				"close it to all others").On("%s", object).
			WithHint("%s makes a pool for this cluster", hint.Flag("metallb-addresses"))
	}
	return step.Missing("is for %v, not yet for %s", namespaces, p.controlPlane()).On("%s", object)
}

// checkAddressesFree checks whether the cluster's own addresses can become a pool that serves it: no other pool,
// Service, node or network of the management cluster may have one of them, and Services must get addresses of their IP
// family.
func (p *Plan) checkAddressesFree(ctx context.Context, r kube.Reader) step.Finding {
	pools := kube.IPAddressPool.NewList()
	if err := r.List(ctx, pools, client.InNamespace(p.Inputs.MetalLB())); err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools in namespace %s", p.Inputs.MetalLB())
	}
	given := p.Options.MetalLBAddresses
	for i := range pools.Items {
		pool := &pools.Items[i]
		for _, text := range kube.Texts(pool, "spec", "addresses") {
			if taken := overlapping(given, text); taken != "" && pool.GetName() != p.controlPlane() {
				return step.Broken("it has %s, which shares addresses with %s %s; MetalLB refuses pools that overlap", text,
					hint.Flag("metallb-addresses"), taken).On("IPAddressPool %s", kube.Name(pool)).
					WithHint("give addresses that no pool has; %s takes those of a pool", hint.Flag("metallb-pool"))
			}
		}
	}
	services := &corev1.ServiceList{}
	if err := r.List(ctx, services); err != nil {
		return kube.Unknown(err).On("Services")
	}
	for i := range services.Items {
		s := &services.Items[i]
		has := slices.Clone(s.Spec.ExternalIPs)
		for _, in := range s.Status.LoadBalancer.Ingress {
			has = append(has, in.IP)
		}
		for _, ip := range has {
			if taken := overlapping(given, ip+"/"+strconv.Itoa(bitLen(ip))); taken != "" && s.Namespace != p.controlPlane() {
				return step.Broken("it has %s, one of the addresses of %s %s", ip, hint.Flag("metallb-addresses"), taken).
					On("Service %s", kube.Name(s)).WithHint("give addresses that nobody uses")
			}
		}
	}
	networks, err := kube.ReadNetworks(ctx, r)
	if client.IgnoreNotFound(err) != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err)
	}
	for _, s := range networks.Used {
		if strings.HasPrefix(s.Object, "Node ") && s.From() != s.To() {
			continue // the pool may have free addresses of the nodes' network
		}
		if taken := overlapping(given, s.String()); taken != "" {
			return step.Broken("%s shares addresses with %s", taken, s.Name).On("%s", hint.Flag("metallb-addresses")).
				WithHint("give addresses that nobody uses")
		}
	}
	return p.checkFamily(ctx, r, given, hint.Flag("metallb-addresses").String())
}

// checkFamily checks that one of the addresses has the primary IP family of the management cluster's Services.
func (p *Plan) checkFamily(ctx context.Context, r kube.Reader, texts []string, whose string) step.Finding {
	services, err := kube.ReadServiceNetworks(ctx, r)
	if err != nil {
		return kube.Unknown(err)
	}
	serves := func(text string) bool {
		r, known := options.AddressRange(text)
		return !known || len(services) == 0 || kube.HasFamily(services[:1], r.From())
	}
	if !slices.ContainsFunc(texts, serves) {
		return step.Broken("has no %s address, and Services of the management cluster get one of that family: they have %s",
			kube.FamilyOf(services[0].Addr()), kube.Families(services)).On("%s", whose).
			WithHint("give %s addresses", kube.FamilyOf(services[0].Addr()))
	}
	return step.OK("can serve the cluster").On("%s", whose)
}

// overlapping returns the first of the given ranges that overlaps with text; empty if there is none.
func overlapping(given []string, text string) string {
	have, known := options.AddressRange(text)
	i := slices.IndexFunc(given, func(s string) bool {
		r, ok := options.AddressRange(s)
		return ok && known && r.Overlaps(have)
	})
	if i < 0 {
		return ""
	}
	return given[i]
}

// bitLen returns the length of an address in bits, which is the prefix length of a single address.
func bitLen(address string) int {
	a, _ := netip.ParseAddr(address) // an invalid address overlaps nothing
	return a.BitLen()
}

func (p *Plan) bindPool(ctx context.Context) (step.Change, error) {
	pool, err := p.addressPool(ctx, p.client)
	if err != nil {
		return "", fmt.Errorf("IPAddressPool %s: %w", p.Options.MetalLBPool, err)
	}
	before := pool.DeepCopy()
	namespaces := append(hostedcluster.PoolNamespaces(pool), p.controlPlane())
	if err := unstructured.SetNestedStringSlice(pool.Object, namespaces, "spec", "serviceAllocation",
		"namespaces"); err != nil {
		return "", fmt.Errorf("IPAddressPool %s: %w", p.Options.MetalLBPool, err)
	}
	annotations := pool.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[hostedcluster.ServesPrefix+p.controlPlane()] = hostedcluster.PoolMark(p.key().String(), p.Inputs.UID)
	pool.SetAnnotations(annotations)
	// The resource version is an optimistic lock: two concurrent creates must not overwrite each other's namespace.
	patch := client.MergeFromUnchanged(before)
	if err := p.client.Patch(ctx, pool, patch, client.FieldOwner(kube.FieldOwner)); err != nil {
		return "", fmt.Errorf("IPAddressPool %s: %w", p.Options.MetalLBPool, err)
	}
	p.cache.store(kube.IPAddressPool.GroupVersionKind, pool)
	return step.Configured, nil
}

func (p *Plan) addressPool(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	pool := kube.IPAddressPool.New()
	err := r.Get(ctx, client.ObjectKey{Namespace: p.Inputs.MetalLB(), Name: p.Options.MetalLBPool}, pool)
	return pool, err
}

func (p *Plan) controlPlane() string {
	return hostedcluster.ControlPlaneNamespace(p.Options.Namespace, p.Options.Name)
}
