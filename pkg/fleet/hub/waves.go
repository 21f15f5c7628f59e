package hub

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wave is what the clusters of one wave have in common. Waves follow each other.
type Wave string

// Waves: none, one for each site, or one for each environment, in the order of their names.
const (
	NoWave  Wave = ""
	BySite  Wave = "site"
	ByEnv   Wave = "env"
	unnamed      = "~" // sorts after every name: clusters without an environment come last
)

// Validate returns an error for any other value.
func (w Wave) Validate() error {
	switch w {
	case NoWave, BySite, ByEnv:
		return nil
	}
	return fmt.Errorf("%s %q: it takes site or env", hint.Flag("wave"), string(w))
}

// Batches divides clusters into batches of at most each clusters. No batch has clusters of two waves; 0 puts a
// whole wave into one batch.
func (w Wave) Batches(clusters []*Cluster, each int) [][]*Cluster {
	sorted := slices.Clone(clusters)
	slices.SortFunc(sorted, func(a, b *Cluster) int {
		return strings.Compare(w.of(a)+"\x00"+a.Subject(), w.of(b)+"\x00"+b.Subject())
	})
	var all [][]*Cluster
	for i, c := range sorted {
		last := len(all) - 1
		if i == 0 || w.of(sorted[i-1]) != w.of(c) || each > 0 && len(all[last]) >= each {
			all = append(all, nil)
			last++
		}
		all[last] = append(all[last], c)
	}
	return all
}

func (w Wave) of(c *Cluster) string {
	switch w {
	case BySite:
		return c.Site
	case ByEnv:
		if c.Environment == "" {
			return unnamed
		}
		return c.Environment
	case NoWave:
	}
	return ""
}

// InOrder makes each batch need all of the batch before, so that the first failure stops what has not begun. The
// steps of a cluster have its subject, and are returned in the order of the batches.
func InOrder(steps []step.Step, batches [][]*Cluster) []step.Step {
	bySubject := map[string][]step.Step{}
	for _, s := range steps {
		bySubject[s.Subject] = append(bySubject[s.Subject], s)
	}
	var out []step.Step
	var before []step.ID
	for _, batch := range batches {
		var last []step.ID
		for _, c := range batch {
			own := bySubject[c.Subject()]
			for i := range own {
				if len(own[i].Needs) == 0 {
					own[i].Needs = slices.Clone(before)
				}
			}
			if len(own) > 0 {
				last = append(last, own[len(own)-1].ID)
			}
			out = append(out, own...)
		}
		if len(last) > 0 {
			before = last
		}
	}
	return out
}
