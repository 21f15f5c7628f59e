package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// The words of a summary, in the order of output.
const (
	unchanged  = string(step.Unchanged)
	created    = string(step.Created)
	configured = string(step.Configured)
	deleted    = string(step.Deleted)
	waitedFor  = "waited for"
	warned     = "with a warning"
	skipped    = "skipped"
	failed     = "failed"
	cutShort   = "interrupted"
	notBegun   = "not begun"
)

// Summary writes the outcome of a run in one line, such as "28 steps in 41s: 10 unchanged, 12 created, 6 waited for".
// It writes nothing for a run without steps.
func Summary(w io.Writer, r step.Report) error {
	if len(r.Results) == 0 {
		return nil
	}
	counts := map[string]int{}
	for _, res := range r.Results {
		counts[countKey(res)]++
	}
	_, err := fmt.Fprintf(w, "%s in %s: %s\n", plural.Count(len(r.Results), "step"), formatDuration(r.Elapsed),
		tally(counts))
	return err
}

// tally returns counts by the words of countKey, such as "10 unchanged, 12 created".
func tally(counts map[string]int) string {
	var parts []string
	for _, word := range []string{unchanged, created, configured, deleted, waitedFor, warned, skipped, failed, cutShort,
		notBegun} {
		if n := counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// Table writes the steps that changed something or failed, with outcome and time. It writes nothing if there are none.
func Table(w io.Writer, r step.Report) error {
	var b strings.Builder
	width := len("STEP")
	for _, res := range r.Results {
		width = max(width, len(sanitize.Value(string(res.Step.ID))))
	}
	for _, res := range r.Results {
		if countKey(res) == unchanged {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "\n%-*s  %-12s  %6s\n", width, "STEP", "RESULT", "TIME")
		}
		word, _ := outcomeText(res)
		took := formatDuration(res.Elapsed)
		if res.Outcome == step.OutcomeBlocked || res.Finding.State == step.StateSkipped {
			took = "-"
		}
		fmt.Fprintf(&b, "%-*s  %-12s  %6s\n", width, sanitize.Value(string(res.Step.ID)), word, took)
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// countKey returns the word under which a result is counted.
func countKey(r step.Result) string {
	switch {
	case r.Outcome == step.OutcomeBlocked:
		return notBegun
	case r.Outcome == step.OutcomeWarned:
		return warned
	case r.Outcome == step.OutcomeInterrupted:
		return cutShort
	case !r.Good():
		return failed
	case r.Finding.State == step.StateSkipped:
		return skipped
	case r.Change == "":
		return waitedFor
	default:
		return string(r.Change)
	}
}
