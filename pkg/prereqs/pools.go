package prereqs

import (
	"context"
	"math"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// addressPool is what hcctl looks at of a MetalLB IPAddressPool.
type addressPool struct {
	namespace, name string
	labels          map[string]string
	texts           []string
	ranges          []addressRange
	// closed is why not every Service gets an address from it, such as "autoAssign is false"; empty means any does.
	closed string
	// assigned and available are MetalLB's own count by family, IPv4 first; counted tells whether it keeps one (MetalLB 0.15,
	// OpenShift 4.19, and later).
	assigned, available [2]uint64
	counted             bool
}

// addressPools lists the pools; kube.IsKindMissing where MetalLB is not installed.
func addressPools(ctx context.Context, c *kube.Client) ([]addressPool, error) {
	list := kube.IPAddressPool.NewList()
	if err := c.List(ctx, list); err != nil {
		return nil, err
	}
	pools := make([]addressPool, 0, len(list.Items))
	for i := range list.Items {
		pools = append(pools, readPool(&list.Items[i]))
	}
	return pools, nil
}

func readPool(u *unstructured.Unstructured) addressPool {
	texts := kube.Texts(u, "spec", "addresses")
	p := addressPool{
		namespace: u.GetNamespace(), name: u.GetName(), labels: u.GetLabels(),
		texts: texts, ranges: parseRanges(texts), closed: closedTo(u),
	}
	for i, family := range []string{"IPv4", "IPv6"} {
		p.assigned[i] = uint64(max(0, kube.Number(u, "status", "assigned"+family)))
		p.available[i] = uint64(max(0, kube.Number(u, "status", "available"+family)))
		// A pool has addresses: all zeros are those of a status nobody has written yet.
		p.counted = p.counted || p.assigned[i]+p.available[i] > 0
	}
	return p
}

// closedTo says which Services a pool keeps away, in a few words, or nothing.
func closedTo(u *unstructured.Unstructured) string {
	if auto, set, _ := unstructured.NestedBool(u.Object, "spec", "autoAssign"); set && !auto {
		return "spec.autoAssign is false"
	}
	if names := kube.Texts(u, "spec", "serviceAllocation", "namespaces"); len(names) > 0 {
		return "it is reserved for namespaces " + listed(names)
	}
	for _, field := range []string{"namespaceSelectors", "serviceSelectors"} {
		if len(kube.Maps(u, "spec", "serviceAllocation", field)) > 0 {
			return "spec.serviceAllocation." + field + " chooses who gets its addresses"
		}
	}
	return ""
}

// uncovered are the ranges that no pool has.
func uncovered(ranges []addressRange, pools []addressPool) []addressRange {
	var all []addressRange
	for _, p := range pools {
		all = append(all, p.ranges...)
	}
	var out []addressRange
	for _, r := range ranges {
		if !r.coveredBy(all) {
			out = append(out, r)
		}
	}
	return out
}

// serving are the pools the person means: those with addresses of the given ranges, or with no range given all open ones.
func serving(ranges []addressRange, pools []addressPool) []addressPool {
	var out []addressPool
	for _, p := range pools {
		means := len(ranges) == 0 && p.closed == ""
		for _, r := range ranges {
			for _, have := range p.ranges {
				means = means || r.overlaps(have)
			}
		}
		if means {
			out = append(out, p)
		}
	}
	return out
}

// takenAddresses are those that load balancers gave to Services.
func takenAddresses(services []corev1.Service) []netip.Addr {
	var out []netip.Addr
	seen := map[netip.Addr]bool{}
	for i := range services {
		for _, in := range services[i].Status.LoadBalancer.Ingress {
			// Services may share one.
			if a, err := netip.ParseAddr(in.IP); err == nil && !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// count is how many addresses of the family the pool has free and in all: by MetalLB's own word where it keeps count.
func (p addressPool) count(taken []netip.Addr, family int) (free, all uint64) {
	if p.counted {
		return p.available[family], plus(p.available[family], p.assigned[family])
	}
	used := uint64(0)
	for _, r := range p.ranges {
		if r.first.Is4() != (family == 0) {
			continue
		}
		all = plus(all, r.size())
		for _, a := range taken {
			if r.has(a) {
				used++
			}
		}
	}
	return all - min(used, all), all
}

// plus adds without running over.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
