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

// Pool is what hcctl looks at of a MetalLB IPAddressPool.
type Pool struct {
	Namespace, Name string
	Labels          map[string]string
	Texts           []string
	Ranges          []Range
	// Closed is why not every Service gets an address from it, such as "autoAssign is false"; empty means any does.
	Closed string
	// assigned and available are MetalLB's own count by family, IPv4 first; counted reports whether it keeps one (MetalLB
	// 0.15, OpenShift 4.19, and later).
	assigned, available [2]uint64
	Counted             bool
}

// Pools lists the pools that MetalLB reads; kube.IsKindMissing where MetalLB is not installed. While none runs these
// are all that there are.
func Pools(ctx context.Context, r kube.Reader) ([]Pool, error) {
	pools, _, err := AllPools(ctx, r)
	return pools, err
}

// AllPools is Pools, and those in namespaces that MetalLB does not read, which give nobody an address.
func AllPools(ctx context.Context, r kube.Reader) (pools, elsewhere []Pool, err error) {
	r.Prefetch(ctx, kube.IPAddressPool, kube.MetalLB)
	list := kube.IPAddressPool.NewList()
	if err := r.List(ctx, list); err != nil || len(list.Items) == 0 {
		return nil, nil, err
	}
	home, err := metallb.Home(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	for i := range list.Items {
		if p := ReadPool(&list.Items[i]); home == "" || p.Namespace == home {
			pools = append(pools, p)
		} else {
			elsewhere = append(elsewhere, p)
		}
	}
	return pools, elsewhere, nil
}

// ReadPool reads an IPAddressPool; what it cannot read it leaves out.
func ReadPool(u *unstructured.Unstructured) Pool {
	texts := kube.Texts(u, "spec", "addresses")
	p := Pool{
		Namespace: u.GetNamespace(), Name: u.GetName(), Labels: u.GetLabels(),
		Texts: texts, Ranges: ParseAll(texts), Closed: closedTo(u),
	}
	for i, family := range []string{"IPv4", "IPv6"} {
		p.assigned[i] = uint64(max(0, kube.Number(u, "status", "assigned"+family)))
		p.available[i] = uint64(max(0, kube.Number(u, "status", "available"+family)))
		// A pool has addresses: all zeros are those of a status nobody has written yet.
		p.Counted = p.Counted || p.assigned[i]+p.available[i] > 0
	}
	return p
}

// closedTo says which Services a pool keeps away, in a few words, or nothing.
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

// Uncovered are the ranges that no pool has.
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

// Serving are the pools the user means: those with addresses of the given ranges, or with no range given all open
// ones.
func Serving(ranges []Range, pools []Pool) []Pool {
	var out []Pool
	for _, p := range pools {
		means := len(ranges) == 0 && p.Closed == ""
		for _, r := range ranges {
			for _, have := range p.Ranges {
				means = means || r.Overlaps(have)
			}
		}
		if means {
			out = append(out, p)
		}
	}
	return out
}

// Taken are those that load balancers gave to Services.
func Taken(services []corev1.Service) []netip.Addr {
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

// Count is how many addresses of the family the pool has free and in all: by MetalLB's own word where it keeps count.
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

// Sum adds without running over.
func Sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
