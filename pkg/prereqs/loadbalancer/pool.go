package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Pool       step.ID = "load-balancer/pool"
	removePool step.ID = "uninstall/pool"
)

// loadBalancerPool checks that a pool has addresses for the API servers of hosted clusters. A foreign pool counts too,
// and stays as it is.
type loadBalancerPool struct {
	o Validated
}

func (s loadBalancerPool) prerequisite() prereq.Prerequisite {
	st := prereq.Prerequisite{
		ID: Pool, Title: "address pool", Needs: []step.ID{MetalLB, Range},
		Check: s.check, Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check:  append(addresses.ListPools(), addresses.ListControllers()),
			Apply:  []access.Rule{writeRange("get create patch", "ipaddresspools.metallb.io")},
			Remove: []access.Rule{writeRange("get delete", "ipaddresspools.metallb.io")},
		},
		Remove: []prereq.Removal{removal.Object{Kind: kube.IPAddressPool, Name: poolName,
			Blocked: addressesInUse{}.pooled}.Removal(removePool, "address pool", removeAdvertisement)},
	}
	if len(s.o.MetalLBRanges) > 0 {
		st.Apply = s.apply
	}
	return st
}

func (s loadBalancerPool) check(ctx context.Context, r kube.Reader) step.Finding {
	pools, elsewhere, err := addresses.AllPools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	f := judgePools(s.o.MetalLBRanges, pools)
	if f.State == step.StateMissing && len(elsewhere) > 0 {
		f.Message += fmt.Sprintf("; MetalLB does not read pools of other namespaces, such as IPAddressPool %s/%s",
			elsewhere[0].Namespace, elsewhere[0].Name)
	}
	return f
}

func judgePools(ranges []addresses.Range, pools []addresses.Pool) step.Finding {
	found := addresses.Serving(ranges, pools)
	missing := addresses.Uncovered(ranges, pools)
	switch {
	case len(ranges) == 0 && len(found) == 0:
		f := step.Missing("there are no addresses for hosted clusters%s", exceptClosed(pools)).On("IPAddressPools").
			WithHint("%s, with free addresses of the node network", hint.Run("bootstrap").Flag("metallb-range", "FIRST-LAST"))
		f.Final = true
		return f
	case len(missing) == 0:
		open := slices.IndexFunc(found, func(p addresses.Pool) bool { return p.Closed == "" })
		if open < 0 {
			p := found[0]
			return step.Broken("it has the addresses of %s, but does not give them to every Service: %s",
				hint.Flag("metallb-range"), p.Closed).
				On("IPAddressPool %s/%s", p.Namespace, p.Name).
				WithHint("give other addresses, or open the pool: oc edit ipaddresspool %s -n %s", p.Name, p.Namespace)
		}
		p := found[open]
		return step.OK("%s", strings.Join(p.Texts, ", ")).On("IPAddressPool %s/%s", p.Namespace, p.Name)
	}
	if f := poolConflict(ranges, pools); f != nil {
		return *f
	}
	return step.Missing("no pool has %s", missing[0].Text).On("IPAddressPool %s", poolName)
}

// exceptClosed describes the existing pools that do not serve every hosted cluster.
func exceptClosed(pools []addresses.Pool) string {
	var parts []string
	for _, p := range pools {
		parts = append(parts, p.Name+" ("+p.Closed+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; pools that do not serve all: " + strings.Join(parts, ", ")
}

// apply adds the missing ranges to hcctl's own pool. Its present addresses stay, because clusters may use them.
func (s loadBalancerPool) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	namespace, err := namespaceFor(ctx, c)
	if err != nil {
		return "", err
	}
	pools, err := addresses.Pools(ctx, c)
	if err != nil && !kube.IsKindMissing(err) {
		return "", err
	}
	var texts []any
	if i := slices.IndexFunc(pools, func(p addresses.Pool) bool {
		return p.Name == poolName && p.Namespace == namespace
	}); i >= 0 {
		texts = keptAddresses(pools[i], addresses.Uncovered(s.o.MetalLBRanges, pools))
	}
	for _, r := range addresses.Uncovered(s.o.MetalLBRanges, pools) {
		texts = append(texts, r.Text)
	}
	change, err := c.Apply(ctx, prereq.NewObject(kube.IPAddressPool, namespace, poolName,
		map[string]any{"addresses": texts}))
	if err != nil {
		return "", fmt.Errorf("%s: %w", hint.Flag("metallb-range"), err)
	}
	return change, nil
}

// keptAddresses returns the addresses of the pool outside the ranges to be added. MetalLB would refuse the others as an
// overlap.
func keptAddresses(p addresses.Pool, added []addresses.Range) []any {
	var out []any
	for _, text := range p.Texts {
		r, err := addresses.Parse(text)
		if err == nil && r.CoveredBy(added) {
			continue
		}
		out = append(out, text)
	}
	return out
}

// poolName names hcctl's IPAddressPool and L2Advertisement.
const poolName = "hcctl"

// writeRange returns the right to write, or to remove, one of the objects that assign the user's ranges.
func writeRange(verbs, resource string) access.Rule {
	return access.Rule{Verbs: verbs, Resources: resource, Names: poolName, Features: []access.Feature{access.MetalLB},
		Why: fmt.Sprintf("the range of %s", hint.Flag("metallb-range"))}
}
