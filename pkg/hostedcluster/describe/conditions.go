package describe

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/step"
)

// evaluated judges all conditions. It sorts the bad ones first, causes before consequences.
func evaluated(of conditions.Set, workers bool) []Condition {
	judged := of.Evaluate(workers)
	var out []Condition
	for _, j := range judged {
		meaning := Bad
		switch {
		case j.Good():
			meaning = Good
		case j.State == step.StateBroken:
			meaning = Terminal
		case j.State == step.StateWarning:
			meaning = Advice
		}
		out = append(out, Condition{Type: line(j.Type), Status: line(j.Status), Reason: line(j.Reason),
			Message: line(j.Message), Since: j.LastTransitionTime.UTC(), Meaning: meaning, Hint: j.Hint})
	}
	for _, c := range of.List {
		if slices.ContainsFunc(judged, func(j conditions.Evaluated) bool { return j.Type == c.Type }) {
			continue
		}
		out = append(out, Condition{Type: line(c.Type), Status: line(c.Status), Reason: line(c.Reason),
			Message: line(c.Message), Since: c.LastTransitionTime.UTC(), Meaning: Unjudged})
	}
	order := []string{Terminal, Bad, Advice, Unjudged, Good}
	slices.SortStableFunc(out, func(a, b Condition) int {
		return slices.Index(order, a.Meaning) - slices.Index(order, b.Meaning)
	})
	return out
}
