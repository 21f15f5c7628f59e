package placement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// Rule is a spread, with the VMs that it counts.
type Rule struct {
	Spread
	// Pool whose VMs are counted; empty counts the VMs of all pools of the cluster.
	Pool string
	// Skew is the maximum difference between two domains; 0 means 1.
	Skew int
}

// Host is a node of the management cluster.
type Host struct {
	Name   string
	Labels map[string]string
	// Pools are the names of the pools that may run VMs there.
	Pools map[string]bool
	// Taken is set if VMs of a cluster to avoid run there.
	Taken bool
	// Free are the resources that no pod requests; nil if they are not counted.
	Free fit.Resources
}

// Pool is the number of VMs of a node pool that have to be placed.
type Pool struct {
	Name string
	// VMs is the total number. Standing is the number of running VMs, by host.
	VMs      int
	Standing map[string]int
	// Needs are the requests of one VM's pod; nil if they are not counted.
	Needs fit.Resources
}

// Count is the result of placing all VMs.
type Count struct {
	// Impossible is why not all VMs can be placed; empty if they can.
	Impossible string
	// Words describe the result in numbers, such as "3 racks, 5 workers, at most 2 each".
	Words string
	// Tight is set if one more VM of a pool, as an upgrade creates, cannot be placed.
	Tight bool
	// Next is the hint if it is impossible; empty if the caller knows a better one.
	Next hint.Text
	// Full is set if it is only temporarily impossible: the VMs would fit if less were requested there.
	Full bool
}

// Place places the VMs one by one, each on the host with the fewest VMs, as the scheduler does. Pools with the largest
// VMs come first, if free resources are counted.
func Place(hosts []Host, rules []Rule, pools []Pool) Count {
	p := &placing{hosts: slices.Clone(hosts), rules: rules, on: map[string]map[string]int{},
		needs: map[string]fit.Resources{}}
	pools = slices.Clone(pools)
	slices.SortStableFunc(pools, func(a, b Pool) int {
		return cmp.Compare(b.Needs[corev1.ResourceMemory], a.Needs[corev1.ResourceMemory])
	})
	wanted := 0
	for _, pool := range pools {
		p.on[pool.Name], p.needs[pool.Name] = map[string]int{}, pool.Needs
		for host, n := range pool.Standing {
			p.on[pool.Name][host] += n
		}
		wanted += pool.VMs
	}
	if why := p.impossible(pools); why != "" {
		return Count{Impossible: why}
	}
	for _, pool := range pools {
		for placed := total(p.on[pool.Name]); placed < pool.VMs; placed++ {
			if !p.placeOne(pool.Name) {
				return p.notPlaced(pool, placed)
			}
		}
	}
	c := Count{Words: p.words()}
	for _, pool := range pools {
		before, hosts := maps.Clone(p.on[pool.Name]), slices.Clone(p.hosts)
		c.Tight = c.Tight || pool.VMs > 0 && !p.placeOne(pool.Name)
		p.on[pool.Name], p.hosts = before, hosts
	}
	return c
}

// placing is an intermediate state of Place.
type placing struct {
	hosts []Host
	rules []Rule
	// on is the number of VMs on each host, by pool.
	on map[string]map[string]int
	// needs are the requests of a VM's pod, by pool.
	needs map[string]fit.Resources
}

// impossible returns why no VM at all can be placed, or "".
func (p *placing) impossible(pools []Pool) string {
	for _, pool := range pools {
		if pool.VMs <= total(p.on[pool.Name]) { // no VM is left to place
			continue
		}
		may, free := 0, 0
		for i := range p.hosts {
			if p.hosts[i].Pools[pool.Name] {
				may++
				if !p.hosts[i].Taken {
					free++
				}
			}
		}
		switch {
		case may == 0:
			return fmt.Sprintf("no node may run the worker VMs of pool %s", pool.Name)
		case free == 0:
			return fmt.Sprintf("%s, and VMs of clusters to avoid stand on all of them", plural.Count(may, "host"))
		}
	}
	for _, rule := range p.rules {
		for _, pool := range pools {
			if pool.VMs == 0 || !rule.Required || !rule.counts(pool.Name) {
				continue
			}
			domains := p.domains(rule, pool.Name)
			switch {
			case len(domains) == 0:
				return fmt.Sprintf("no node that may run the worker VMs has the label %s", rule.Label)
			case len(domains) == 1 && rule.Max == 0 && p.countedVMs(rule, pools) > 1:
				return fmt.Sprintf("%s, %s: there is nothing to spread over", plural.Count(1, rule.Noun()),
					plural.Count(p.countedVMs(rule, pools), "worker"))
			}
		}
	}
	return ""
}

// countedVMs returns the number of VMs that the rule counts after all are placed.
func (p *placing) countedVMs(rule Rule, pools []Pool) int {
	n := 0
	for _, pool := range pools {
		if rule.counts(pool.Name) {
			n += pool.VMs
		}
	}
	return n
}

func (r Rule) counts(pool string) bool { return r.Pool == "" || r.Pool == pool }

// domains returns the number of VMs that the rule counts in each domain that the scheduler considers for a VM of the
// pool: on nodes with the labels of all required rules. Domains with only taken hosts are included.
func (p *placing) domains(rule Rule, pool string) map[string]int {
	out := map[string]int{}
	for i := range p.hosts {
		h := &p.hosts[i]
		domain, has := h.Labels[rule.Label]
		if !has || !h.Pools[pool] || !p.hasLabels(h, pool) {
			continue
		}
		out[domain] += p.standing(rule, h.Name)
	}
	return out
}

// hasLabels reports whether a host has the labels of all required rules for the pool.
func (p *placing) hasLabels(h *Host, pool string) bool {
	return !slices.ContainsFunc(p.rules, func(r Rule) bool {
		_, has := h.Labels[r.Label]
		return r.Required && r.counts(pool) && !has
	})
}

func (p *placing) standing(rule Rule, host string) int {
	n := 0
	for pool, on := range p.on {
		if rule.counts(pool) {
			n += on[host]
		}
	}
	return n
}

// placeOne places one more VM of the pool, and reports whether it could.
func (p *placing) placeOne(pool string) bool {
	var best *Host
	var bestLoad []int
	domains := p.allDomains(pool)
	for i := range p.hosts {
		h := &p.hosts[i]
		if h.Taken || !h.Pools[pool] || p.refusedBy(h, pool, domains) >= 0 || p.full(h, pool) {
			continue
		}
		var load []int
		for k, r := range p.rules {
			if domain, has := h.Labels[r.Label]; has && r.counts(pool) {
				load = append(load, domains[k][domain])
			}
		}
		load = append(load, p.standing(Rule{}, h.Name), -int(h.Free[corev1.ResourceMemory]>>20))
		if best == nil || slices.Compare(load, bestLoad) < 0 {
			best, bestLoad = h, load
		}
	}
	if best == nil {
		return false
	}
	p.on[pool][best.Name]++
	if best.Free != nil {
		best.Free = best.Free.Minus(p.needs[pool])
	}
	return true
}

// full reports whether the host lacks resources for one more VM of the pool.
func (p *placing) full(h *Host, pool string) bool {
	return h.Free != nil && len(h.Free.Short(p.needs[pool])) > 0
}

// refusedBy returns the index of the first required rule that excludes the host for a VM of the pool, or -1.
func (p *placing) refusedBy(h *Host, pool string, domains []map[string]int) int {
	for k, r := range p.rules {
		if !r.Required || !r.counts(pool) {
			continue
		}
		domain, has := h.Labels[r.Label]
		if !has {
			return k
		}
		standing := domains[k][domain]
		minimum := standing
		for _, n := range domains[k] {
			minimum = min(minimum, n)
		}
		if r.Max > 0 && standing+1 > r.Max || r.Max == 0 && standing+1-minimum > max(1, r.Skew) {
			return k
		}
	}
	return -1
}

// allDomains returns the domains of each rule.
func (p *placing) allDomains(pool string) []map[string]int {
	all := make([]map[string]int, len(p.rules))
	for i, r := range p.rules {
		all[i] = p.domains(r, pool)
	}
	return all
}
