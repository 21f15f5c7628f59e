package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/step"
)

// addressesInUse blocks removals while Services use the addresses.
type addressesInUse struct{}

func (s addressesInUse) advertised(ctx context.Context, r kube.Reader, u *unstructured.Unstructured) *step.Finding {
	pools, err := addresses.Pools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		f := kube.Unknown(err).On("IPAddressPools")
		return &f
	}
	var ranges []addresses.Range
	for _, p := range pools {
		if p.Namespace == u.GetNamespace() && p.Name == poolName {
			ranges = p.Ranges
		}
	}
	return s.within(ctx, r, u, ranges)
}

func (s addressesInUse) pooled(ctx context.Context, r kube.Reader, u *unstructured.Unstructured) *step.Finding {
	return s.within(ctx, r, u, addresses.ReadPool(u).Ranges)
}

// deployed keeps MetalLB while a foreign pool needs it.
func (s addressesInUse) deployed(ctx context.Context, r kube.Reader, u *unstructured.Unstructured) *step.Finding {
	pools, err := addresses.Pools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		f := kube.Unknown(err).On("IPAddressPools")
		return &f
	}
	if len(pools) == 0 {
		return nil
	}
	f := step.OK("left as it is: IPAddressPool %s/%s, which hcctl did not create, needs it", pools[0].Namespace,
		pools[0].Name).On("MetalLB %s", kube.Name(u))
	return &f
}

// within returns a finding about the Services with an address of the ranges, or nil.
func (s addressesInUse) within(ctx context.Context, reader kube.Reader, u *unstructured.Unstructured,
	ranges []addresses.Range) *step.Finding {
	list := &corev1.ServiceList{}
	if err := reader.List(ctx, list); err != nil {
		f := kube.Unknown(err).On("Services")
		return &f
	}
	var services []string
	for i := range list.Items {
		svc := &list.Items[i]
		for _, in := range svc.Status.LoadBalancer.Ingress {
			address, err := netip.ParseAddr(in.IP)
			if err != nil {
				continue
			}
			for _, r := range ranges {
				if r.Overlaps(addresses.Of(address)) {
					services = append(services, fmt.Sprintf("%s (%s)", kube.Name(svc), in.IP))
				}
			}
		}
	}
	if len(services) == 0 {
		return nil
	}
	f := step.Broken("Services use its addresses: %s", strings.Join(services, ", ")).
		On("%s %s", u.GetKind(), kube.Name(u)).
		WithHint("delete these Services, or make them of another type, first")
	return &f
}
