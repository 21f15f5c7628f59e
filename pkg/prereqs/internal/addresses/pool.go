package addresses

import (
	"context"
	"math"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Pool holds the fields of a MetalLB IPAddressPool that hcctl uses.
type Pool struct {
	Namespace, Name string
	Labels          map[string]string
	Texts           []string
	Ranges          []Range
	// Closed is why some Services get no address from it, such as "autoAssign is false". It is empty if every Service may.
	Closed string
	// assigned and available are MetalLB's counters by family, IPv4 first. Counted reports whether MetalLB has them (0.15,
	// OpenShift 4.19, and later).
	assigned, available [2]uint64
	Counted             bool
}

// Pools lists the pools that MetalLB reads. If no MetalLB runs, it lists all. The error satisfies kube.IsKindMissing if
// MetalLB is not installed.
func Pools(ctx context.Context, r kube.Reader) ([]Pool, error) {
	pools, _, err := AllPools(ctx, r)
	return pools, err
}

// AllPools also returns the pools in namespaces that MetalLB does not read, which serve no address.
func AllPools(ctx context.Context, r kube.Reader) (pools, elsewhere []Pool, err error) {
	r.Prefetch(ctx, kube.IPAddressPool, kube.MetalLB)
	list := kube.IPAddressPool.NewList()
	if err := r.List(ctx, list); err != nil || len(list.Items) == 0 {
		return nil, nil, err
	}
	namespace, err := metallb.Home(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	for i := range list.Items {
		if p := ReadPool(&list.Items[i]); namespace == "" || p.Namespace == namespace {
			pools = append(pools, p)
		} else {
			elsewhere = append(elsewhere, p)
		}
	}
	return pools, elsewhere, nil
}

// ReadPool reads an IPAddressPool. It leaves out what it cannot parse.
func ReadPool(u *unstructured.Unstructured) Pool {
	texts := kube.Texts(u, "spec", "addresses")
	p := Pool{
		Namespace: u.GetNamespace(), Name: u.GetName(), Labels: u.GetLabels(),
		Texts: texts, Ranges: ParseAll(texts), Closed: closedTo(u),
	}
	for i, family := range []string{"IPv4", "IPv6"} {
		p.assigned[i] = uint64(max(0, kube.Number(u, "status", "assigned"+family)))
		p.available[i] = uint64(max(0, kube.Number(u, "status", "available"+family)))
		// A pool has addresses: all zeros mean that the status is not written yet.
		p.Counted = p.Counted || p.assigned[i]+p.available[i] > 0
	}
	return p
}

// closedTo returns which Services get no address of a pool, or "".
func closedTo(u *unstructured.Unstructured) string {
	if u.GetDeletionTimestamp() != nil {
		return "it is being deleted"
	}
	if auto, set, _ := unstructured.NestedBool(u.Object, "spec", "autoAssign"); set && !auto {
		return "spec.autoAssign is false"
	}
	if names := kube.Texts(u, "spec", "serviceAllocation", "namespaces"); len(names) > 0 {
		return "it is reserved for namespaces " + prereq.Listed(names)
	}
	for _, field := range []string{"namespaceSelectors", "serviceSelectors"} {
		if len(kube.Maps(u, "spec", "serviceAllocation", field)) > 0 {
			return "spec.serviceAllocation." + field + " chooses who gets its addresses"
		}
	}
	return ""
}

// Uncovered returns the ranges that no pool contains.
func Uncovered(ranges []Range, pools []Pool) []Range {
	var all []Range
	for _, p := range pools {
		all = append(all, p.Ranges...)
	}
	var out []Range
	for _, r := range ranges {
		if !r.CoveredBy(all) {
			out = append(out, r)
		}
	}
	return out
}

// Serving returns the pools that the ranges overlap, or all open pools without ranges.
func Serving(ranges []Range, pools []Pool) []Pool {
	var out []Pool
	for _, p := range pools {
		serves := len(ranges) == 0 && p.Closed == ""
		for _, r := range ranges {
			for _, have := range p.Ranges {
				serves = serves || r.Overlaps(have)
			}
		}
		if serves {
			out = append(out, p)
		}
	}
	return out
}

// Taken returns the addresses that load balancers gave to Services.
func Taken(services []corev1.Service) []netip.Addr {
	var out []netip.Addr
	seen := map[netip.Addr]bool{}
	for i := range services {
		for _, in := range services[i].Status.LoadBalancer.Ingress {
			// Services may share an address.
			if a, err := netip.ParseAddr(in.IP); err == nil && !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// Count returns the free addresses of the family in the pool and their total, by MetalLB's counters if it has them.
func (p Pool) Count(taken []netip.Addr, family int) (free, all uint64) {
	if p.Counted {
		return p.available[family], Sum(p.available[family], p.assigned[family])
	}
	used := uint64(0)
	for _, r := range p.Ranges {
		if r.From().Is4() != (family == 0) {
			continue
		}
		all = Sum(all, r.size())
		for _, a := range taken {
			if r.Contains(a) {
				used++
			}
		}
	}
	return all - min(used, all), all
}

// Sum adds and stops at the maximum instead of overflowing.
func Sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
