package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// Interruption is the message after Ctrl-C: two sentences and a command.
type Interruption struct {
	// Run is the report of the interrupted run, nil if none had started.
	Run *step.Report
	// Exists describes what exists now, as a sentence without its full stop. If empty, the changes of the run are listed.
	Exists string
	// Again is the command to continue; empty for none.
	Again string
	// Noun is the kind of one subject; empty for "hosted cluster".
	Noun string
}

// Interrupted writes what was interrupted, what exists now, and the command to continue. If the screen's width is
// known, it wraps sentences; the command stays on one line, for copying.
func Interrupted(w io.Writer, s Screen, i Interruption) error {
	var lines []string
	for _, sentence := range []string{"Interrupted" + i.stopped(), i.exists()} {
		lines = append(lines, wrap(sanitize.Value(redact.Secrets(sentence)), s.Width-1)...)
	}
	if i.Again != "" {
		lines = append(lines, "To continue: "+i.Again)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// stopped returns the progress of the run, and what it waited for.
func (i Interruption) stopped() string {
	if i.Run == nil {
		return "."
	}
	if outcomes := Subjects(*i.Run); len(outcomes) > 0 {
		done := 0
		for _, end := range outcomes {
			if end.OK {
				done++
			}
		}
		return fmt.Sprintf(": %d of %s done.", done, plural.Count(len(outcomes), cmp.Or(i.Noun, "hosted cluster")))
	}
	done := 0
	var waits *step.Result
	for n, res := range i.Run.Results {
		switch {
		case res.Good():
			done++
		case res.Outcome != step.OutcomeInterrupted || res.Finding.Message == notBegunMessage:
		case waits == nil, res.Finding.Trouble && !waits.Finding.Trouble:
			waits = &i.Run.Results[n]
		}
	}
	text := fmt.Sprintf(": %d of %s done", done, plural.Count(len(i.Run.Results), "step"))
	if waits == nil {
		return text + "."
	}
	text += ", then " + string(waits.Step.ID)
	if rowText := rowTextOf(waits.Finding); rowText.reason != "" {
		text += ": " + rowText.reason
	}
	return strings.TrimSuffix(text, ".") + "."
}

// exists returns what exists now, as a sentence.
func (i Interruption) exists() string {
	switch {
	case i.Exists != "":
		return i.Exists + "."
	case i.Run == nil:
		return "Nothing was changed."
	}
	changed := changesOf(*i.Run)
	var parts []string
	for _, word := range []string{created, configured, deleted, begun} {
		if names := changed[word]; len(names) > 0 {
			parts = append(parts, word+" "+plural.Few(names, 3))
		}
	}
	if len(parts) == 0 {
		return "Nothing was changed."
	}
	return "So far: " + strings.Join(parts, "; ") + "."
}

// begun is the word for a change whose step has not ended.
const begun = "begun"

// changesOf returns the IDs of the steps that changed something, or the names of their subjects, by the kind of change.
func changesOf(r step.Report) map[string][]string {
	changed := map[string][]string{}
	put := func(name, word string) {
		if !slices.Contains(changed[word], name) {
			changed[word] = append(changed[word], name)
		}
	}
	done := map[string]bool{}
	for _, end := range Subjects(r) {
		if done[end.Subject] = end.OK; end.OK && end.Outcome != "" && end.Outcome != unchanged {
			put(end.Subject, end.Outcome)
		}
	}
	for _, res := range r.Results {
		subject := res.Step.Subject
		switch {
		case res.Change == "" || res.Change == step.Unchanged || done[subject]:
		case subject != "":
			put(subject, begun)
		case res.Good():
			put(string(res.Step.ID), string(res.Change))
		default:
			put(string(res.Step.ID), begun)
		}
	}
	return changed
}
