package placement

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
)

// stuck says in numbers why a VM of the pool finds no place.
func (p *placing) stuck(pool Pool, placed int) string {
	refusals := make([]int, len(p.rules))
	domains := p.allDomains(pool.Name)
	for i := range p.hosts {
		if h := &p.hosts[i]; h.Pools[pool.Name] && !h.Taken {
			if by := p.refusedBy(h, pool.Name, domains); by >= 0 {
				refusals[by]++
			}
		}
	}
	worst := 0
	for i, n := range refusals {
		if n > refusals[worst] {
			worst = i
		}
	}
	rule := p.rules[worst]
	limit := "as even as required"
	if rule.Most > 0 {
		limit = fmt.Sprintf("at most %d each", rule.Most)
	}
	return fmt.Sprintf("%s, %s of pool %s, %s%s: only %d find a place", plural.Count(len(domains[worst]),
		rule.Noun()), plural.Count(pool.VMs, "worker"), pool.Name, limit, p.without(), placed)
}

// without says how many hosts are left out for other clusters.
func (p *placing) without() string {
	taken := 0
	for i := range p.hosts {
		if p.hosts[i].Taken {
			taken++
		}
	}
	if taken == 0 {
		return ""
	}
	return fmt.Sprintf(", %s left to clusters to avoid", plural.Count(taken, "host"))
}

// words say in numbers how the VMs stand.
func (p *placing) words() string {
	var all []string
	for _, rule := range p.rules {
		domains, workers := map[string]int{}, 0
		for pool := range p.on {
			if !rule.counts(pool) {
				continue
			}
			workers += total(p.on[pool])
			for domain, n := range p.domains(rule, pool) {
				domains[domain] = n
			}
		}
		most := 0
		for _, n := range domains {
			most = max(most, n)
		}
		words := fmt.Sprintf("%s, %s", plural.Count(len(domains), rule.Noun()), plural.Count(workers, "worker"))
		if rule.Pool != "" {
			words += " of pool " + rule.Pool
		}
		if most > 0 {
			words += fmt.Sprintf(", at most %d each", most)
		}
		all = append(all, words)
	}
	if without := p.without(); without != "" {
		all = append(all, strings.TrimPrefix(without, ", "))
	}
	return cmp.Or(strings.Join(all, "; "), plural.Count(len(p.hosts), "host"))
}

func total(on map[string]int) int {
	n := 0
	for _, k := range on {
		n += k
	}
	return n
}
