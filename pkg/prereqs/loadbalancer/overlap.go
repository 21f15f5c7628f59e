package loadbalancer

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Overlap is the prerequisite of this file.
const Overlap step.ID = "load-balancer/overlap"

// loadBalancerOverlap checks that no address of the pool is in use by a node, a virtual IP of the cluster, or its pod
// and service networks. MetalLB does not know those, so it would take their addresses over.
type loadBalancerOverlap struct {
	o Validated
}

func (s loadBalancerOverlap) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Overlap, Title: "addresses not in use",
		Check: s.check,
		Rights: prereq.Rights{
			Check: append(addresses.ListPools(), prereq.ReadInfrastructure(), prereq.ListNodes(), prereq.ReadNetwork()),
		},
	}
}

func (s loadBalancerOverlap) check(ctx context.Context, r kube.Reader) step.Finding {
	pools, err := addresses.Pools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	given := s.o.MetalLBRanges
	if len(pools) == 0 && len(given) == 0 {
		return step.OK("there are no addresses yet")
	}
	if f := poolConflict(given, pools); f != nil {
		return *f
	}
	used, f := usedAddresses(ctx, r)
	if f != nil {
		return *f
	}
	return judgeOverlap(given, pools, used)
}

func judgeOverlap(given []addresses.Range, pools []addresses.Pool, used []usedRange) step.Finding {
	if held := holds(given, used); held != "" {
		return step.Broken("%s", held).On("%s", hint.Flag("metallb-range")).
			WithHint("give addresses that nobody uses, outside of the node network's DHCP range")
	}
	for _, p := range pools {
		if held := holds(p.Ranges, used); held != "" {
			return step.Broken("%s; MetalLB may give it to a Service, and whoever uses it now loses it", held).
				On("IPAddressPool %s/%s", p.Namespace, p.Name).
				WithHint("take it out of spec.addresses: oc edit ipaddresspool %s -n %s", p.Name, p.Namespace)
		}
	}
	return step.OK("none belongs to a node, a virtual IP, the pod or the service network")
}

// holds names the first of the used addresses that the ranges have, and how many more there are, or is empty.
func holds(ranges []addresses.Range, used []usedRange) string {
	message, more := "", 0
	for _, r := range ranges {
		for _, u := range used {
			switch {
			case !r.Overlaps(u.Range):
			case message == "":
				message = fmt.Sprintf("%s holds %s", r.Text, u)
			default:
				more++
			}
		}
	}
	if more > 0 {
		message += prereq.AndMore(more)
	}
	return message
}

// poolConflict finds a pool that has part of a given range, because MetalLB refuses pools that overlap. A range that
// pools cover wholly is theirs.
func poolConflict(ranges []addresses.Range, pools []addresses.Pool) *step.Finding {
	for _, r := range addresses.Uncovered(ranges, pools) {
		for _, p := range pools {
			if p.Name == poolName {
				continue
			}
			for _, have := range p.Ranges {
				if r.Overlaps(have) {
					f := step.Broken("it has %s, which shares addresses with %s %s; MetalLB refuses pools that overlap",
						have.Text, hint.Flag("metallb-range"), r.Text).
						On("IPAddressPool %s/%s", p.Namespace, p.Name).
						WithHint("give a range outside of it, or one that it covers wholly")
					return &f
				}
			}
		}
	}
	return nil
}

// usedRange is what is not MetalLB's to give out, and whose it is.
type usedRange struct {
	addresses.Range
	// whose is such as "node worker-0".
	whose string
}

// String is for the sentence "... holds ...".
func (u usedRange) String() string {
	if u.From() == u.To() {
		return fmt.Sprintf("%s, the address of %s", u.From(), u.whose)
	}
	return fmt.Sprintf("addresses of %s, %s", u.whose, u.Text)
}
