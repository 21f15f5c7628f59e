package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// PlannedWrite is one change that a run would make. It contains no secrets.
type PlannedWrite struct {
	// Verb is "create", "change" or "delete".
	Verb       string `json:"verb"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// Unvalidated is the reason why the API server could not validate the change, "" if it did.
	Unvalidated string `json:"unvalidated,omitempty"`
	// Diff is the unified diff of the object as YAML.
	Diff string `json:"diff"`
}

// Object returns the object, such as "Subscription openshift-cnv/kubevirt-hyperconverged".
func (w PlannedWrite) Object() string {
	if w.Namespace == "" {
		return w.Kind + " " + w.Name
	}
	return w.Kind + " " + w.Namespace + "/" + w.Name
}

// PlannedStep is one step of a plan with its writes.
type PlannedStep struct {
	step.Forecast
	Writes []PlannedWrite
}

// Plan writes a plan as text: groups, one line per step, and under each step the diffs of its writes.
func Plan(w io.Writer, steps []PlannedStep, s Screen) error {
	p := paint{s.Colour}
	width := 0
	for _, one := range steps {
		width = max(width, utf8.RuneCountInString(title(one.Step)))
	}
	var b strings.Builder
	group := ""
	for i, one := range steps {
		if one.Step.Group != group {
			if i > 0 {
				b.WriteString("\n")
			}
			group = one.Step.Group
			b.WriteString(p.bold(sanitize.Value(group)) + "\n")
		}
		fmt.Fprintf(&b, "  %s %-*s  %s\n", planGlyph(p, one), width, title(one.Step), sanitize.Value(one.Line()))
		writePlanned(&b, p, one)
	}
	fmt.Fprintf(&b, "\n%s\n", PlanTally(steps))
	_, err := io.WriteString(w, b.String())
	return err
}

// writePlanned writes the lines under a step.
func writePlanned(b *strings.Builder, p paint, one PlannedStep) {
	if one.Action != step.ActionKeep {
		writeDetail(b, p, 0, one.Finding)
	}
	for _, w := range one.Writes {
		fmt.Fprintf(b, "      %s %s\n", w.Verb, sanitize.Value(w.Object()))
		if w.Unvalidated != "" {
			fmt.Fprintf(b, "        %s\n", p.faint(sanitize.Value("not validated by the API server: "+w.Unvalidated)))
		}
		if w.Verb == "delete" {
			continue // the diff would be the whole object
		}
		for _, line := range strings.Split(strings.TrimSuffix(w.Diff, "\n"), "\n") {
			if w.Verb != "change" && strings.HasPrefix(line, "@@") {
				continue // a new object needs no line numbers
			}
			b.WriteString("        " + diffLine(p, sanitize.Line(line)) + "\n")
		}
	}
	if then, waits := one.Waits(); waits {
		fmt.Fprintf(b, "      then: %s\n", sanitize.Value(findingLine(then)))
	}
	hint := sanitize.Value(redacted(one.Finding).Hint.String())
	switch one.Action {
	case step.ActionOpen, step.ActionPerson, step.ActionStop, step.ActionUnseen:
		if hint != "" {
			fmt.Fprintf(b, "      → %s\n", hint)
		}
	case step.ActionKeep, step.ActionWrite, step.ActionWait, step.ActionLeave:
	}
}

func diffLine(p paint, line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return p.green(line)
	case strings.HasPrefix(line, "-"):
		return p.red(line)
	case strings.HasPrefix(line, "@@"):
		return p.faint(line)
	}
	return line
}

// Line returns the planned action of the step and the reason, on one line.
func (one PlannedStep) Line() string {
	switch one.Action {
	case step.ActionKeep:
		if one.Finding.State != step.StateOK && one.Finding.State != step.StateSkipped {
			return "warning: " + findingLine(one.Finding)
		}
		if one.Finding.State == step.StateSkipped {
			return "skipped"
		}
		return "nothing to do: " + findingLine(one.Finding)
	case step.ActionWrite:
		return "to do: " + findingLine(one.Finding)
	case step.ActionWait:
		return "to wait for: " + findingLine(one.Finding)
	case step.ActionOpen:
		return fmt.Sprintf("undecided until %s is done: %s", one.Prerequisite, troubleOf(one))
	case step.ActionPerson:
		return "needs a manual step or a flag: " + findingLine(one.Finding)
	case step.ActionStop:
		return "would fail: " + troubleOf(one)
	case step.ActionUnseen:
		return "unknown: " + troubleOf(one)
	case step.ActionLeave:
		return fmt.Sprintf("would not start: needs %s", one.Prerequisite)
	}
	return string(one.Action)
}

// troubleOf returns why a step could not be planned.
func troubleOf(one PlannedStep) string {
	if one.Err != nil {
		return strings.Join(strings.Fields(errorText(one.Err)), " ")
	}
	return findingLine(one.Finding)
}

func planGlyph(p paint, one PlannedStep) string {
	switch one.Action {
	case step.ActionKeep:
		if one.Finding.State == step.StateOK || one.Finding.State == step.StateSkipped {
			return glyph(p, step.OutcomeDone, one.Finding.State)
		}
		return glyph(p, step.OutcomeWarned, one.Finding.State)
	case step.ActionWrite:
		switch one.Change {
		case step.Created:
			return p.green("+")
		case step.Deleted:
			return p.red("-")
		case step.Configured, step.Unchanged:
		}
		return p.yellow("~")
	case step.ActionWait:
		return p.yellow("…")
	case step.ActionOpen, step.ActionUnseen:
		return p.yellow("?")
	case step.ActionPerson, step.ActionStop:
		return p.red("✗")
	case step.ActionLeave:
	}
	return p.faint("-")
}

// PlanTally counts the actions, such as "16 need nothing, 9 to do, 2 open".
func PlanTally(steps []PlannedStep) string {
	counts := map[step.Action]int{}
	for _, one := range steps {
		counts[one.Action]++
	}
	words := []struct {
		will step.Action
		text string
	}{
		{step.ActionKeep, "%d with nothing to do"}, {step.ActionWrite, "%d to do"}, {step.ActionWait,
			"%d to wait for"}, {step.ActionOpen, "%d undecided until others are done"},
		{step.ActionPerson, "%d needing a manual step"}, {step.ActionStop, "%d that would fail"}, {step.ActionUnseen,
			"%d unknown"}, {step.ActionLeave, "%d that would not start"},
	}
	var parts []string
	for _, word := range words {
		if n := counts[word.will]; n > 0 {
			parts = append(parts, fmt.Sprintf(word.text, n))
		}
	}
	return fmt.Sprintf("%s: %s", plural.Count(len(steps), "step"), strings.Join(slices.Clip(parts), ", "))
}

// PlanDocument is the plan for JSON and YAML.
type PlanDocument struct {
	step.TypeMeta
	Changes bool `json:"changes"`
	// Files has the files that the command read, each with the field that has its content.
	Files []string          `json:"files,omitempty"`
	Steps []planDocumentRow `json:"steps"`
}

type planDocumentRow struct {
	ID    step.ID     `json:"id"`
	Group string      `json:"group"`
	Title string      `json:"title"`
	Will  step.Action `json:"will"`
	step.Finding
	// After is the need that must be applied first, or that would fail.
	After step.ID `json:"after,omitempty"`
	// Then is the finding for which the run would wait after its writes.
	Then  string `json:"then,omitempty"`
	Error string `json:"error,omitempty"`
	// Writes is never null.
	Writes []PlannedWrite `json:"writes"`
	Docs   string         `json:"docs,omitempty"`
}

// NewPlanDocument returns the document of a plan, with a kind such as "BootstrapPlan".
func NewPlanDocument(kind string, steps []PlannedStep) PlanDocument {
	doc := PlanDocument{TypeMeta: step.NewTypeMeta(kind), Steps: []planDocumentRow{}}
	for _, one := range steps {
		row := planDocumentRow{
			ID: one.Step.ID, Group: one.Step.Group, Title: one.Step.Title, Will: one.Action, Finding: redacted(one.Finding),
			After:  one.Prerequisite,
			Writes: append([]PlannedWrite{}, one.Writes...),
		}
		if then, waits := one.Waits(); waits {
			row.Then = findingLine(then)
		}
		if one.Err != nil {
			row.Error = errorText(one.Err)
		}
		if one.Step.Docs != "" {
			row.Docs = DocsBase + one.Step.Docs
		}
		doc.Changes = doc.Changes || one.Action != step.ActionKeep
		doc.Steps = append(doc.Steps, row)
	}
	return doc
}
