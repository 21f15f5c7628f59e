package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// SubjectResult is the outcome of one subject of a run, such as a hosted cluster of a fleet.
type SubjectResult struct {
	// Subject is the name. Outcome is one word: the change, or the outcome of the worst step.
	Subject, Outcome string
	OK               bool
	// Elapsed is the time from the start of its first step to the end of its last, zero if it did not start.
	Elapsed time.Duration
	// Blocks is the first failed step with the reason; Hint is the user's next action. Both may be empty.
	Blocks, Hint string
	// rowText is Blocks in the form for a live line.
	rowText rowText
}

// Subjects returns the outcome of each subject, in the order of the graph. Steps without a subject are left out.
func Subjects(r step.Report) []SubjectResult {
	var order []string
	of := map[string][]step.Result{}
	for _, res := range r.Results {
		subject := res.Step.Subject
		if subject == "" {
			continue
		}
		if of[subject] == nil {
			order = append(order, subject)
		}
		of[subject] = append(of[subject], res)
	}
	outcomes := make([]SubjectResult, 0, len(order))
	for _, subject := range order {
		outcomes = append(outcomes, subjectResult(subject, of[subject]))
	}
	return outcomes
}

func subjectResult(subject string, results []step.Result) SubjectResult {
	end := SubjectResult{Subject: subject, OK: true}
	var first, last time.Time
	var changes []step.Change
	for _, res := range results {
		if res.Change != "" {
			changes = append(changes, res.Change)
		}
		if !res.Begun.IsZero() {
			if first.IsZero() || res.Begun.Before(first) {
				first = res.Begun
			}
			if ended := res.Begun.Add(res.Elapsed); ended.After(last) {
				last = ended
			}
		}
	}
	end.Elapsed = last.Sub(first)
	end.Outcome = string(step.Join(changes...))
	failed, bad := step.AsRunError(step.Report{Results: results}.Err())
	if !bad {
		return end
	}
	end.OK, end.Outcome = false, string(failed.Worst())
	for _, res := range failed.Results {
		if res.Outcome == failed.Worst() {
			_, text := outcomeText(res)
			end.Blocks, end.Hint = fmt.Sprintf("%s: %s", res.Step.Title, strings.Join(strings.Fields(text), " ")), redacted(
				res.Finding).Hint.String()
			end.rowText = resultRowText(res)
			end.rowText.object = titleWithout(res.Step.Title, subject)
			if res.Finding.Message == notBegunMessage {
				end.Outcome, end.Blocks, end.Elapsed, end.rowText = notBegun, "", 0, rowText{}
			}
			break
		}
	}
	return end
}

// notBegunMessage is the engine's message for a step that did not start before the run ended.
const notBegunMessage = "not begun"

// SubjectTable writes the outcome of each subject, failed ones last. heading is the kind of the subjects.
func SubjectTable(w io.Writer, heading string, r step.Report) error {
	outcomes := Subjects(r)
	width, good := len(heading), 0
	for _, end := range outcomes {
		width = max(width, utf8.RuneCountInString(end.Subject))
		if end.OK {
			good++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-*s  %-12s  %7s  %s\n", width, strings.ToUpper(heading), "RESULT", "TIME", "WHAT BLOCKS")
	for _, ok := range []bool{true, false} {
		for _, end := range outcomes {
			if end.OK != ok {
				continue
			}
			took := "-"
			if end.Outcome != notBegun {
				took = formatDuration(end.Elapsed)
			}
			line := fmt.Sprintf("%-*s  %-12s  %7s  %s", width, sanitize.Value(end.Subject), end.Outcome, took,
				sanitize.Value(end.Blocks))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			if end.Hint != "" {
				fmt.Fprintf(&b, "  → %s\n", sanitize.Value(end.Hint))
			}
		}
	}
	fmt.Fprintf(&b, "\n%d of %d succeeded in %s\n", good, len(outcomes), formatDuration(r.Elapsed))
	_, err := io.WriteString(w, b.String())
	return err
}
