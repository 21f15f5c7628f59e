package prereqs

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	removeAdvertisement   step.ID = "uninstall/advertisement"
	removePool            step.ID = "uninstall/pool"
	removeMetalLB         step.ID = "uninstall/metallb"
	removeMetalLBOperator step.ID = "uninstall/metallb-operator"
)

// loadBalancerRemoval takes the addresses away last: while a Service uses one, neither the pool nor what announces it goes.
func loadBalancerRemoval(c *kube.Client) []step.Step {
	const group = "load balancer"
	used := addressesInUse{c}
	return []step.Step{
		objectRemoval{c: c, kind: kube.L2Advertisement, name: poolName, blocked: used.advertised}.step(removeAdvertisement, "address advertisement", group, NoHostedClusters),
		objectRemoval{c: c, kind: kube.IPAddressPool, name: poolName, blocked: used.pooled}.step(removePool, "address pool", group, removeAdvertisement),
		objectRemoval{c: c, kind: kube.MetalLB, name: metalLBName, blocked: used.deployed}.step(removeMetalLB, "MetalLB", group, removePool),
		newOperatorRemoval(c, metalLBRow(), kube.MetalLB, kube.IPAddressPool).step(removeMetalLBOperator, group, removeMetalLB),
	}
}

// addressesInUse says which Services have addresses.
type addressesInUse struct{ c *kube.Client }

func (s addressesInUse) advertised(ctx context.Context, u *unstructured.Unstructured) *step.Finding {
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		f := kube.Unread(err).On("IPAddressPools")
		return &f
	}
	var ranges []addressRange
	for _, p := range pools {
		if p.namespace == u.GetNamespace() && p.name == poolName {
			ranges = p.ranges
		}
	}
	return s.within(ctx, u, ranges)
}

func (s addressesInUse) pooled(ctx context.Context, u *unstructured.Unstructured) *step.Finding {
	return s.within(ctx, u, readPool(u).ranges)
}

// deployed: MetalLB goes only when no pool of others needs it.
func (s addressesInUse) deployed(ctx context.Context, u *unstructured.Unstructured) *step.Finding {
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		f := kube.Unread(err).On("IPAddressPools")
		return &f
	}
	if len(pools) == 0 {
		return nil
	}
	f := step.Okay("left as it is: IPAddressPool %s/%s, which hcctl did not create, needs it", pools[0].namespace, pools[0].name).On("MetalLB %s", kube.Name(u))
	return &f
}

// within finds the Services with an address of the ranges.
func (s addressesInUse) within(ctx context.Context, u *unstructured.Unstructured, ranges []addressRange) *step.Finding {
	list := &corev1.ServiceList{}
	if err := s.c.List(ctx, list); err != nil {
		f := kube.Unread(err).On("Services")
		return &f
	}
	var users []string
	for i := range list.Items {
		svc := &list.Items[i]
		for _, in := range svc.Status.LoadBalancer.Ingress {
			address, err := netip.ParseAddr(in.IP)
			if err != nil {
				continue
			}
			for _, r := range ranges {
				if r.overlaps(addressRange{first: address, last: address}) {
					users = append(users, fmt.Sprintf("%s (%s)", kube.Name(svc), in.IP))
				}
			}
		}
	}
	if len(users) == 0 {
		return nil
	}
	f := step.Stuck("Services use its addresses: %s", strings.Join(users, ", ")).On("%s %s", u.GetKind(), kube.Name(u)).
		WithHint("delete these Services, or make them of another type, first")
	return &f
}
