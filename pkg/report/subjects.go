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

// SubjectEnd is what became of one subject of a run, such as a hosted cluster of a fleet.
type SubjectEnd struct {
	// Subject is its name, and Outcome one word: what was done with it, or how its worst step ended.
	Subject, Outcome string
	OK               bool
	// Elapsed is the time from the begin of its first step to the end of its last; zero for one that was not begun.
	Elapsed time.Duration
	// Blocks is the first step that did not end well, with what is wrong; Hint the next step for a person. Both may be
	// empty.
	Blocks, Hint string
}

// Subjects says what became of each subject, in the order of the graph. Steps that have none are left out.
func Subjects(r step.Report) []SubjectEnd {
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
	ends := make([]SubjectEnd, 0, len(order))
	for _, subject := range order {
		ends = append(ends, subjectEnd(subject, of[subject]))
	}
	return ends
}

func subjectEnd(subject string, results []step.Result) SubjectEnd {
	end := SubjectEnd{Subject: subject, OK: true}
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
			_, text := ending(res)
			end.Blocks, end.Hint = fmt.Sprintf("%s: %s", res.Step.Title, strings.Join(strings.Fields(text), " ")), safe(
				res.Finding).Hint
			if res.Finding.Message == notBegunYet {
				end.Outcome, end.Blocks, end.Elapsed = notBegun, "", 0
			}
			break
		}
	}
	return end
}

// notBegunYet is what the engine says of a step whose turn came when the run was over.
const notBegunYet = "not begun"

// SubjectTable writes how each subject ended, those that did not end well last, where a person looks first. What is
// called a subject is said by heading.
func SubjectTable(w io.Writer, heading string, r step.Report) error {
	ends := Subjects(r)
	width, good := len(heading), 0
	for _, end := range ends {
		width = max(width, utf8.RuneCountInString(end.Subject))
		if end.OK {
			good++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-*s  %-12s  %7s  %s\n", width, strings.ToUpper(heading), "RESULT", "TIME", "WHAT BLOCKS")
	for _, ok := range []bool{true, false} {
		for _, end := range ends {
			if end.OK != ok {
				continue
			}
			took := "-"
			if end.Outcome != notBegun {
				took = clock(end.Elapsed)
			}
			line := fmt.Sprintf("%-*s  %-12s  %7s  %s", width, sanitize.Value(end.Subject), end.Outcome, took,
				sanitize.Value(end.Blocks))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			if end.Hint != "" {
				fmt.Fprintf(&b, "  → %s\n", sanitize.Value(end.Hint))
			}
		}
	}
	fmt.Fprintf(&b, "\n%d of %d ended well in %s\n", good, len(ends), clock(r.Elapsed))
	_, err := io.WriteString(w, b.String())
	return err
}
