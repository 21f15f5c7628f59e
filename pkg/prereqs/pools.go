package prereqs

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// poolName is the IPAddressPool, and the L2Advertisement, hcctl writes.
const poolName = "hcctl"

// addressPool is what hcctl looks at of a MetalLB IPAddressPool.
type addressPool struct {
	namespace, name string
	labels          map[string]string
	texts           []string
	ranges          []addressRange
	// open means any Service may get an address from it, without asking for the pool by name.
	open bool
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
	auto, set, _ := unstructured.NestedBool(u.Object, "spec", "autoAssign")
	restricted := false
	for _, field := range []string{"namespaces", "namespaceSelectors", "serviceSelectors"} {
		list, _, _ := unstructured.NestedSlice(u.Object, "spec", "serviceAllocation", field)
		restricted = restricted || len(list) > 0
	}
	return addressPool{
		namespace: u.GetNamespace(), name: u.GetName(), labels: u.GetLabels(),
		texts: texts, ranges: parseRanges(texts), open: (auto || !set) && !restricted,
	}
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
		means := len(ranges) == 0 && p.open
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
