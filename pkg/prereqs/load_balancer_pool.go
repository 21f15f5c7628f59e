package prereqs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// loadBalancerPool: addresses for the API servers of hosted clusters. A pool somebody else made counts, and is left alone.
type loadBalancerPool struct {
	c *kube.Client
	o LoadBalancerOptions
}

func (s loadBalancerPool) step() step.Step {
	st := step.Step{
		ID: LoadBalancerPool, Title: "address pool", Needs: []step.ID{MetalLB, LoadBalancerRange},
		Check: s.check, Timeout: 5 * time.Minute,
	}
	if len(s.o.MetalLBRanges) > 0 {
		st.Apply = s.apply
	}
	return st
}

func (s loadBalancerPool) check(ctx context.Context) step.Finding {
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unread(err).On("IPAddressPools")
	}
	return judgePools(s.o.ranges(), pools)
}

func judgePools(ranges []addressRange, pools []addressPool) step.Finding {
	found := serving(ranges, pools)
	missing := uncovered(ranges, pools)
	switch {
	case len(ranges) == 0 && len(found) == 0:
		return step.NotThere("there are no addresses for hosted clusters%s", exceptClosed(pools)).On("IPAddressPools").
			WithHint("hcctl bootstrap --metallb-range FIRST-LAST, with free addresses of the node network")
	case len(missing) == 0:
		open := slices.IndexFunc(found, func(p addressPool) bool { return p.closed == "" })
		if open < 0 {
			p := found[0]
			return step.Stuck("it has the addresses of --metallb-range, but does not give them to every Service: %s", p.closed).On("IPAddressPool %s/%s", p.namespace, p.name).
				WithHint("give other addresses, or open the pool: oc edit ipaddresspool %s -n %s", p.name, p.namespace)
		}
		p := found[open]
		return step.Okay("%s", strings.Join(p.texts, ", ")).On("IPAddressPool %s/%s", p.namespace, p.name)
	}
	if f := poolConflict(ranges, pools); f != nil {
		return *f
	}
	return step.NotThere("no pool has %s", missing[0].text).On("IPAddressPool %s", poolName)
}

// exceptClosed goes on about pools that are there and of no use to every hosted cluster.
func exceptClosed(pools []addressPool) string {
	var parts []string
	for _, p := range pools {
		parts = append(parts, p.name+" ("+p.closed+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; pools that do not serve all: " + strings.Join(parts, ", ")
}

// apply adds what is missing to hcctl's own pool. Addresses that are in it stay: clusters may be using them.
func (s loadBalancerPool) apply(ctx context.Context) (step.Change, error) {
	namespace, err := newInstaller(s.c, metalLBRow()).home(ctx)
	if err != nil {
		return "", err
	}
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		return "", err
	}
	var addresses []any
	if i := slices.IndexFunc(pools, func(p addressPool) bool { return p.name == poolName && p.namespace == namespace }); i >= 0 {
		addresses = keptAddresses(pools[i], uncovered(s.o.ranges(), pools))
	}
	for _, r := range uncovered(s.o.ranges(), pools) {
		addresses = append(addresses, r.text)
	}
	change, err := s.c.Apply(ctx, object(kube.IPAddressPool, namespace, poolName, map[string]any{"addresses": addresses}))
	if err != nil {
		return "", fmt.Errorf("--metallb-range: %w", err)
	}
	return change, nil
}

// keptAddresses are those of the pool that are not within a range about to be added, which MetalLB would call an overlap.
func keptAddresses(p addressPool, added []addressRange) []any {
	var out []any
	for _, text := range p.texts {
		r, err := parseRange(text)
		if err == nil && r.coveredBy(added) {
			continue
		}
		out = append(out, text)
	}
	return out
}
