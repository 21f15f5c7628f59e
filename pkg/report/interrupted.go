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

// Interruption is what a user reads after Ctrl-C: two sentences and a command.
type Interruption struct {
	// Run is the report of the interrupted run, nil if none had begun.
	Run *step.Report
	// Exists says what exists now, as a sentence without its full stop. Empty means what the run has changed.
	Exists string
	// Again is the command that goes on; empty for none.
	Again string
	// Noun is what one subject of the run is; empty for a hosted cluster.
	Noun string
}

// Interrupted writes what was interrupted, what exists now, and the command that goes on. On a screen of known width it
// breaks sentences between words; a command stays on one line, to be copied.
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

// stopped says how far the run was, and what it waited for.
func (i Interruption) stopped() string {
	if i.Run == nil {
		return "."
	}
	if ends := Subjects(*i.Run); len(ends) > 0 {
		done := 0
		for _, end := range ends {
			if end.OK {
				done++
			}
		}
		return fmt.Sprintf(": %d of %s done.", done, plural.Count(len(ends), cmp.Or(i.Noun, "hosted cluster")))
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
	if said := saidOf(waits.Finding); said.reason != "" {
		text += ": " + said.reason
	}
	return strings.TrimSuffix(text, ".") + "."
}

// exists says what exists now.
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

// begun is the word for what has changed and has not ended.
const begun = "begun"

// changesOf returns the IDs of the steps that changed something, or the names of their subjects, by what became of
// them.
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
