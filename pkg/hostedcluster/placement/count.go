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

// Rule is a spread with the VMs that it counts.
type Rule struct {
	Spread
	// Pool whose VMs are counted; empty counts those of all pools of the cluster.
	Pool string
	// Skew is the largest difference between two domains; 0 is 1.
	Skew int
}

// Host is a node of the management cluster.
type Host struct {
	Name   string
	Labels map[string]string
	// Pools that may run VMs there, by name.
	Pools map[string]bool
	// Taken tells that VMs of a cluster that is avoided stand there.
	Taken bool
	// Free is what nothing requests there; nil if that is not counted.
	Free fit.Resources
}

// Pool is how many VMs of a node pool have to find a place.
type Pool struct {
	Name string
	// VMs in all, Standing how many of them stand already, by host.
	VMs      int
	Standing map[string]int
	// Needs is what the pod of one VM requests; nil if that is not counted.
	Needs fit.Resources
}

// Count is what placing all VMs came to.
type Count struct {
	// Impossible says why not all have a place; empty if they have.
	Impossible string
	// Words say it in numbers, such as "3 racks, 5 workers, at most 2 each".
	Words string
	// Tight tells that one more VM of a pool, as an upgrade makes, finds no place.
	Tight bool
	// Next is what to do if it is impossible, where that is known better than by the caller.
	Next hint.Text
	// Full tells that it is impossible for now alone: the VMs would fit if less were requested there.
	Full bool
}

// Place puts the VMs on the hosts one after the other, each on the host where the fewest stand, as the scheduler does,
// and says how many can stand there. The largest come first, where it is counted what is free.
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
	if why := p.hopeless(pools); why != "" {
		return Count{Impossible: why}
	}
	for _, pool := range pools {
		for placed := total(p.on[pool.Name]); placed < pool.VMs; placed++ {
			if !p.one(pool.Name) {
				return p.stuck(pool, placed)
			}
		}
	}
	c := Count{Words: p.words()}
	for _, pool := range pools {
		before, hosts := maps.Clone(p.on[pool.Name]), slices.Clone(p.hosts)
		c.Tight = c.Tight || pool.VMs > 0 && !p.one(pool.Name)
		p.on[pool.Name], p.hosts = before, hosts
	}
	return c
}

// placing is a state of the VMs.
type placing struct {
	hosts []Host
	rules []Rule
	// on is how many VMs of each pool stand on each host.
	on map[string]map[string]int
	// needs is what the pod of a VM of each pool requests.
	needs map[string]fit.Resources
}

// hopeless says what no number of VMs could change.
func (p *placing) hopeless(pools []Pool) string {
	for _, pool := range pools {
		if pool.VMs <= total(p.on[pool.Name]) { // none more is to find a place
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
			case len(domains) == 1 && rule.Most == 0 && p.counted(rule, pools) > 1:
				return fmt.Sprintf("%s, %s: there is nothing to spread over", plural.Count(1, rule.Noun()),
					plural.Count(p.counted(rule, pools), "worker"))
			}
		}
	}
	return ""
}

// counted is how many VMs the rule counts once all stand.
func (p *placing) counted(rule Rule, pools []Pool) int {
	n := 0
	for _, pool := range pools {
		if rule.counts(pool.Name) {
			n += pool.VMs
		}
	}
	return n
}

func (r Rule) counts(pool string) bool { return r.Pool == "" || r.Pool == pool }

// domains are how many VMs the rule counts in each domain that the scheduler sees for a VM of the pool: on nodes that
// have all labels of the required rules. Domains where only hosts are taken are among them, with what stands there.
func (p *placing) domains(rule Rule, pool string) map[string]int {
	out := map[string]int{}
	for i := range p.hosts {
		h := &p.hosts[i]
		domain, has := h.Labels[rule.Label]
		if !has || !h.Pools[pool] || !p.labelled(h, pool) {
			continue
		}
		out[domain] += p.standing(rule, h.Name)
	}
	return out
}

// labelled reports whether a host has the labels of all required rules about the pool.
func (p *placing) labelled(h *Host, pool string) bool {
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

// one places one more VM of the pool.
func (p *placing) one(pool string) bool {
	var best *Host
	var least []int
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
		if best == nil || slices.Compare(load, least) < 0 {
			best, least = h, load
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

// full reports whether too little is free on the host for one more VM of the pool.
func (p *placing) full(h *Host, pool string) bool {
	return h.Free != nil && len(h.Free.Short(p.needs[pool])) > 0
}

// refusedBy is the first required rule that keeps a VM of the pool from the host; -1 if none does.
func (p *placing) refusedBy(h *Host, pool string, domains []map[string]int) int {
	for k, r := range p.rules {
		if !r.Required || !r.counts(pool) {
			continue
		}
		domain, has := h.Labels[r.Label]
		if !has {
			return k
		}
		there := domains[k][domain]
		least := there
		for _, n := range domains[k] {
			least = min(least, n)
		}
		if r.Most > 0 && there+1 > r.Most || r.Most == 0 && there+1-least > max(1, r.Skew) {
			return k
		}
	}
	return -1
}

// allDomains are the domains of each rule.
func (p *placing) allDomains(pool string) []map[string]int {
	all := make([]map[string]int, len(p.rules))
	for i, r := range p.rules {
		all[i] = p.domains(r, pool)
	}
	return all
}
