package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
)

// TestRunbook holds docs/runbook.md to what hcctl explain knows.
func TestRunbook(t *testing.T) {
	golden.Section(t, "../../../docs/runbook.md", "<!-- conditions:begin (make update writes this) -->\n",
		"<!-- conditions:end -->", runbook())
}

// runbook has a section for each condition, with its reasons.
func runbook() string {
	all := follow.Explanations()
	slices.SortStableFunc(all, func(a, b follow.Explanation) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Reason, b.Reason))
	})
	var b strings.Builder
	kind, condition := "", ""
	for _, e := range all {
		if e.Kind != kind {
			fmt.Fprintf(&b, "\n## %s\n", e.Kind)
			kind, condition = e.Kind, ""
		}
		if e.Condition != condition {
			means := cmp.Or(e.Means, "HyperShift reports it; hcctl does not judge it.")
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", e.Condition, means)
			if e.Good != "" {
				fmt.Fprintf(&b, "\n- On a healthy cluster: %s. Another status means: %s.\n- Look first at: %s.\n",
					e.Good, e.Weight, e.Look)
			}
			condition = e.Condition
		}
		switch {
		case e.Reason != "":
			passes := "It may pass: the operator tries again."
			if e.Terminal {
				passes = "Waiting does not help."
			}
			fmt.Fprintf(&b, "- Reason `%s`: %s%s\n", e.Reason, passes, sentence(e.Hint))
		case e.Hint != "":
			fmt.Fprintf(&b, "-%s\n", sentence(e.Hint))
		}
	}
	return b.String()
}

// sentence is a hint as a sentence after another one.
func sentence(hint string) string {
	if hint == "" {
		return ""
	}
	return " " + strings.ToUpper(hint[:1]) + hint[1:] + "."
}
