package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Overlap is the prerequisite of this file.
const Overlap step.ID = "load-balancer/overlap"

// loadBalancerOverlap checks that no address of the pool belongs to a node, a virtual IP of the cluster, or its pod and
// service networks. MetalLB does not know these, so it would assign their addresses.
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
	if f := sharedAddresses(pools); f != nil {
		return *f
	}
	if f := poolConflict(given, pools); f != nil {
		return *f
	}
	used, services, f := usedAddresses(ctx, r)
	if f != nil {
		return *f
	}
	if f := otherFamily(given, pools, services); f != nil {
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

// holds describes the first used address in the ranges, and the number of further ones, or returns "".
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

// sharedAddresses returns a finding if two pools contain the same address, else nil. MetalLB's webhook refuses such a
// pool while it runs. Otherwise its controller and speakers reject the whole configuration, and report that only in
// their logs (MetalLB 0.13 to 0.16).
func sharedAddresses(pools []addresses.Pool) *step.Finding {
	type part struct {
		addresses.Range
		pool string
	}
	var seen []part
	for _, p := range pools {
		for _, r := range p.Ranges {
			i := slices.IndexFunc(seen, func(s part) bool { return s.Overlaps(r) })
			if i < 0 {
				seen = append(seen, part{r, p.Namespace + "/" + p.Name})
				continue
			}
			f := step.Broken("its %s shares addresses with %s of IPAddressPool %s: MetalLB takes no change of its "+
				"configuration as long as that is so, and no new Service gets an address", r.Text, seen[i].Text, seen[i].pool).
				On("IPAddressPool %s/%s", p.Namespace, p.Name).
				WithHint("leave them in one of the two: oc edit ipaddresspool %s -n %s", p.Name, p.Namespace)
			return &f
		}
	}
	return nil
}

// poolConflict returns a finding if a pool contains a part of a given range, because MetalLB refuses pools that
// overlap. A range that pools cover completely is no conflict, and hcctl's own pool grows to a range that covers it.
func poolConflict(ranges []addresses.Range, pools []addresses.Pool) *step.Finding {
	added := addresses.Uncovered(ranges, pools)
	for _, r := range added {
		for _, p := range pools {
			for _, have := range p.Ranges {
				if !r.Overlaps(have) || p.Name == poolName && have.CoveredBy(added) {
					continue
				}
				f := step.Broken("it has %s, which shares addresses with %s %s; MetalLB refuses addresses that overlap",
					have.Text, hint.Flag("metallb-range"), r.Text).
					On("IPAddressPool %s/%s", p.Namespace, p.Name).
					WithHint("give a range outside of it, or one that it covers wholly")
				if p.Name == poolName {
					f = f.WithHint("give the new addresses alone, or a range that covers %s wholly", have.Text)
				}
				return &f
			}
		}
	}
	return nil
}

// otherFamily returns a finding about given addresses that no Service of the cluster can get, else nil: Services do not
// have their IP family, or have it only as secondary family while no pool has the primary one.
func otherFamily(given []addresses.Range, pools []addresses.Pool, services []netip.Prefix) *step.Finding {
	if len(services) == 0 || len(given) == 0 {
		return nil
	}
	served := slices.ContainsFunc(pools, func(p addresses.Pool) bool {
		return p.Closed == "" && slices.ContainsFunc(p.Ranges, func(r addresses.Range) bool {
			return kube.HasFamily(services[:1], r.From())
		})
	})
	for _, r := range given {
		served = served || kube.HasFamily(services[:1], r.From())
	}
	for _, r := range given {
		known := kube.HasFamily(services, r.From())
		if known && served {
			continue
		}
		f := step.Broken("%s is %s, and Services of this cluster get %s addresses: they have %s", r.Text,
			kube.FamilyOf(r.From()), kube.FamilyOf(services[0].Addr()), kube.Families(services))
		if known {
			f = step.Broken("%s is %s, and Services of this cluster get %s addresses first; no pool has one", r.Text,
				kube.FamilyOf(r.From()), kube.FamilyOf(services[0].Addr()))
		}
		f = f.On("%s", hint.Flag("metallb-range")).WithHint("give free %s addresses of the node network",
			kube.FamilyOf(services[0].Addr()))
		return &f
	}
	return nil
}

// usedRange is a range that MetalLB must not assign, with its owner.
type usedRange struct {
	addresses.Range
	// owner is such as "node worker-0".
	owner string
}

// String describes the range in the sentence "... holds ...".
func (u usedRange) String() string {
	if u.From() == u.To() {
		return fmt.Sprintf("%s, the address of %s", u.From(), u.owner)
	}
	return fmt.Sprintf("addresses of %s, %s", u.owner, u.Text)
}
