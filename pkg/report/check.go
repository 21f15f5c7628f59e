package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// DocsBase is the URL of the documentation pages of steps.
const DocsBase = "https://github.com/hcctl/hcctl/blob/main/"

// Check writes the report of a check as text: groups, one line per step, and hint and page under each step that a user
// has to fix. Steps that hcctl can apply have no hint, because the summary has the command. If the screen's width is
// known, texts are wrapped, and steps that are well are only counted unless the screen shows all.
func Check(w io.Writer, r step.Report, s Screen) error {
	p, few := paint{s.Colour}, s.Width > 0 && !s.All
	width := 0
	if s.Width == 0 {
		for _, res := range r.Results {
			width = max(width, utf8.RuneCountInString(title(res.Step)))
		}
	}
	var b strings.Builder
	for rest := r.Results; len(rest) > 0; {
		group := rest[0].Step.Group
		n := slices.IndexFunc(rest, func(res step.Result) bool { return res.Step.Group != group })
		if n < 0 {
			n = len(rest)
		}
		of := rest[:n]
		if rest = rest[n:]; few {
			of = writeGroup(&b, p, group, of)
		} else {
			b.WriteString(p.bold(sanitize.Value(group)) + "\n")
		}
		for _, res := range of {
			writeStep(&b, p, s.Width, width, res)
		}
		if len(rest) > 0 && !few {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\n%s\n", Tally(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeGroup writes the line of a group with the number of steps that are well, and returns the other steps.
func writeGroup(b *strings.Builder, p paint, group string, of []step.Result) []step.Result {
	well := step.Report{}
	var others []step.Result
	for _, res := range of {
		if res.Outcome == step.OutcomeDone {
			well.Results = append(well.Results, res)
		} else {
			others = append(others, res)
		}
	}
	line := p.bold(sanitize.Value(group))
	switch {
	case len(others) == 0:
		line = p.green("✓") + " " + line + ": " + Tally(well)
	case len(well.Results) > 0:
		line += ": " + Tally(well)
	}
	b.WriteString(line + "\n")
	return others
}

// writeStep writes the finding of one step. width is that of the title column, 0 for no such column.
func writeStep(b *strings.Builder, p paint, screen, width int, res step.Result) {
	text := strings.TrimSuffix(res.Finding.State.String()+": "+findingLine(res.Finding), ": ")
	if res.Finding.State == step.StateOK {
		text = findingLine(res.Finding)
	}
	mark, lines := glyph(p, res.Outcome, res.Finding.State), []string{""}
	if width > 0 {
		lines[0] = fmt.Sprintf("%-*s  %s", width, title(res.Step), sanitize.Value(text))
	} else {
		lines = wrap(title(res.Step)+": "+sanitize.Value(text), screen-5)
	}
	fmt.Fprintf(b, "  %s %s\n", mark, strings.Join(lines, "\n    "))
	if res.Outcome == step.OutcomeDone {
		return
	}
	writeDetail(b, p, screen, res.Finding)
	if Appliable(res) {
		return
	}
	if !res.Finding.Hint.IsZero() {
		lines := wrap(sanitize.Value(redacted(res.Finding).Hint.String()), screen-9)
		fmt.Fprintf(b, "      → %s\n", strings.Join(lines, "\n        "))
	}
	switch {
	case res.Step.Docs == "":
	case screen > 0: // the terminal would break a long URL; hcctl explain prints the same page
		fmt.Fprintf(b, "      %s\n", p.faint(sanitize.Value(hint.Run("explain", res.Step.ID).Text().String())))
	default:
		fmt.Fprintf(b, "      %s\n", p.faint(sanitize.Value(docsURL(res.Step))))
	}
}

// writeDetail writes the lines of a finding's detail. Sentences are wrapped, rows of a table are not.
func writeDetail(b *strings.Builder, p paint, screen int, f step.Finding) {
	if f.Detail == "" {
		return
	}
	for _, line := range strings.Split(redacted(f).Detail, "\n") {
		line = sanitize.Line(line)
		if strings.Contains(line, "  ") {
			fmt.Fprintf(b, "      %s\n", p.faint(line))
			continue
		}
		for _, part := range wrap(line, screen-7) {
			fmt.Fprintf(b, "      %s\n", p.faint(part))
		}
	}
}

// Appliable reports whether hcctl can fix the finding by running the step, without a value that only the user knows.
func Appliable(r step.Result) bool {
	return r.Outcome == step.OutcomeMissing && r.Finding.State == step.StateMissing && r.Step.Apply != nil &&
		!r.Finding.Final
}

// Tally counts a check's findings, such as "12 ok, 9 missing, 1 unknown, 2 warnings".
func Tally(r step.Report) string {
	counts := map[string]int{}
	for _, res := range r.Results {
		if res.Outcome == step.OutcomeWarned {
			counts["warnings"]++
			continue
		}
		counts[res.Finding.State.String()]++
	}
	if counts["warnings"] == 1 {
		counts["warning"], counts["warnings"] = 1, 0
	}
	var parts []string
	for _, word := range []string{"ok", "missing", "pending", "broken", "unknown", "skipped", "warning", "warnings"} {
		if n := counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// docsURL returns the URL of the step's page, "" if it has none.
func docsURL(s *step.Step) string {
	if s.Docs == "" {
		return ""
	}
	return DocsBase + s.Docs
}

// seconds returns a duration in seconds, rounded to milliseconds.
func seconds(d time.Duration) float64 { return math.Round(1000*d.Seconds()) / 1000 }

// jsonCheck is the document of hcctl check -o json.
type jsonCheck struct {
	step.TypeMeta
	OK    bool       `json:"ok"`
	Steps []jsonStep `json:"steps"`
}

type jsonStep struct {
	ID       step.ID       `json:"id"`
	Group    string        `json:"group"`
	Title    string        `json:"title"`
	Severity step.Severity `json:"severity"`
	step.Finding
	Docs string `json:"docs,omitempty"`
	// Seconds is the duration of the check.
	Seconds float64 `json:"seconds"`
}

// CheckJSON writes the report of a check as one JSON document.
func CheckJSON(w io.Writer, r step.Report) error {
	enc := sanitize.NewJSONEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(checkDocument(r))
}

// CheckYAML writes the document of CheckJSON as YAML.
func CheckYAML(w io.Writer, r step.Report) error {
	data, err := sanitize.YAML(checkDocument(r))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// CheckNames writes the IDs of the steps, one per line.
func CheckNames(w io.Writer, r step.Report) error {
	var b strings.Builder
	for _, res := range r.Results {
		b.WriteString(sanitize.Value(string(res.Step.ID)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func checkDocument(r step.Report) jsonCheck {
	doc := jsonCheck{TypeMeta: step.NewTypeMeta("CheckReport"), OK: r.Err() == nil, Steps: []jsonStep{}}
	for _, res := range r.Results {
		s := jsonStep{ID: res.Step.ID, Group: res.Step.Group, Title: res.Step.Title, Severity: res.Step.Severity,
			Finding: redacted(res.Finding),
			Docs:    docsURL(res.Step), Seconds: seconds(res.Elapsed)}
		doc.Steps = append(doc.Steps, s)
	}
	return doc
}
