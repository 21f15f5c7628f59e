package placement

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// notPlaced returns, in numbers, why a VM of the pool cannot be placed.
func (p *placing) notPlaced(pool Pool, placed int) Count {
	refusals, full := make([]int, len(p.rules)), 0
	domains := p.allDomains(pool.Name)
	for i := range p.hosts {
		if h := &p.hosts[i]; h.Pools[pool.Name] && !h.Taken {
			if by := p.refusedBy(h, pool.Name, domains); by >= 0 {
				refusals[by]++
			} else if p.full(h, pool.Name) {
				full++
			}
		}
	}
	if full > 0 {
		return p.noRoom(pool, placed)
	}
	worst := 0
	for i, n := range refusals {
		if n > refusals[worst] {
			worst = i
		}
	}
	rule := p.rules[worst]
	limit := "as even as required"
	if rule.Max > 0 {
		limit = fmt.Sprintf("at most %d each", rule.Max)
	}
	return Count{Impossible: fmt.Sprintf("%s, %s of pool %s, %s%s: only %d find a place", plural.Count(len(domains[worst]),
		rule.Noun()), plural.Count(pool.VMs, "worker"), pool.Name, limit, p.excludedText(), placed)}
}

// noRoom returns which resource runs out on the hosts. With VMs of several sizes or rules, another order might
// succeed.
func (p *placing) noRoom(pool Pool, placed int) Count {
	likely := ""
	if len(p.on) > 1 || len(p.rules) > 0 {
		likely = "likely "
	}
	found := fmt.Sprintf("%sonly %d of %s of pool %s find room", likely, placed, plural.Count(pool.VMs, "worker"),
		pool.Name)
	return Count{Full: true, Impossible: fmt.Sprintf("%s on %s: each needs %s, and then %s", found,
		plural.Count(len(p.hosts), "host"), fit.Describe(pool.Needs), p.mostFree(pool))}
}

// mostFree returns the scarcest resource on the host with the most of it free.
func (p *placing) mostFree(pool Pool) string {
	var nodes []fit.Node
	for i := range p.hosts {
		if h := &p.hosts[i]; h.Pools[pool.Name] && !h.Taken {
			nodes = append(nodes, fit.Node{Node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: h.Name}}, Free: h.Free})
		}
	}
	return scarcest(nodes, pool.Needs)
}

// scarcest returns the resource that is scarcest compared to the needs, on the node with the most of it.
func scarcest(nodes []fit.Node, needs fit.Resources) string {
	words, lowest := "", 2.0
	for name, need := range needs {
		if need <= 0 {
			continue
		}
		node, free := fit.Largest(nodes, name)
		if part := float64(free) / float64(need); part < lowest || words == "" {
			lowest, words = part, fmt.Sprintf("the largest worker (%s) has %s free", node, fit.Amount(name, max(free, 0)))
		}
	}
	return words
}

// excludedText returns how many hosts are left out because of other clusters.
func (p *placing) excludedText() string {
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

// words describes in numbers how the VMs are spread.
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
		maximum := 0
		for _, n := range domains {
			maximum = max(maximum, n)
		}
		words := fmt.Sprintf("%s, %s", plural.Count(len(domains), rule.Noun()), plural.Count(workers, "worker"))
		if rule.Pool != "" {
			words += " of pool " + rule.Pool
		}
		if maximum > 0 {
			words += fmt.Sprintf(", at most %d each", maximum)
		}
		all = append(all, words)
	}
	if without := p.excludedText(); without != "" {
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
