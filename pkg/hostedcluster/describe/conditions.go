package describe

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
)

// conditions judges all conditions. The bad ones come first, the causes before what follows from them.
func conditions(of follow.Conditions, workers bool) []Condition {
	judged := of.Evaluate(workers)
	var out []Condition
	for _, j := range judged {
		meaning := Bad
		switch {
		case j.Good:
			meaning = Good
		case j.Terminal:
			meaning = Terminal
		case j.Weight == follow.WeightAdvice:
			meaning = Advice
		}
		out = append(out, Condition{Type: line(j.Type), Status: line(j.Status), Reason: line(j.Reason),
			Message: line(j.Message), Since: j.LastTransitionTime.UTC(), Meaning: meaning, Hint: line(j.Hint)})
	}
	for _, c := range of.List {
		if slices.ContainsFunc(judged, func(j follow.EvaluatedCondition) bool { return j.Type == c.Type }) {
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
