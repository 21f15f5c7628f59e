package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// DocsBase is the URL of the documentation pages of steps.
const DocsBase = "https://github.com/hcctl/hcctl/blob/main/"

// Check writes the report of a check as text: groups, one line per step, and hint and page under each step that a
// person has to fix. Steps that hcctl can apply need no hint, because the summary names the command.
func Check(w io.Writer, r step.Report, s Screen) error {
	p := paint{s.Colour}
	width := 0
	for _, res := range r.Results {
		width = max(width, utf8.RuneCountInString(title(res.Step)))
	}
	var b strings.Builder
	group := ""
	for i, res := range r.Results {
		if res.Step.Group != group {
			if i > 0 {
				b.WriteString("\n")
			}
			group = res.Step.Group
			b.WriteString(p.bold(sanitize.Value(group)) + "\n")
		}
		text := strings.TrimSuffix(res.Finding.State.String()+": "+findingLine(res.Finding), ": ")
		if res.Finding.State == step.StateOK {
			text = findingLine(res.Finding)
		}
		fmt.Fprintf(&b, "  %s %-*s  %s\n", glyph(p, res.Outcome, res.Finding.State), width, title(res.Step),
			sanitize.Value(text))
		if res.Outcome != step.OutcomeDone {
			writeDetail(&b, p, res.Finding)
		}
		if res.Outcome == step.OutcomeDone || Appliable(res) {
			continue
		}
		if !res.Finding.Hint.IsZero() {
			fmt.Fprintf(&b, "      → %s\n", sanitize.Value(redacted(res.Finding).Hint.String()))
		}
		if res.Step.Docs != "" {
			fmt.Fprintf(&b, "      %s\n", p.faint(sanitize.Value(docsURL(res.Step))))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", Tally(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeDetail writes the lines of a finding's detail.
func writeDetail(b *strings.Builder, p paint, f step.Finding) {
	if f.Detail == "" {
		return
	}
	for _, line := range strings.Split(redacted(f).Detail, "\n") {
		fmt.Fprintf(b, "      %s\n", p.faint(sanitize.Line(line)))
	}
}

// Appliable reports whether hcctl can fix a finding by running the step.
func Appliable(r step.Result) bool {
	return r.Outcome == step.OutcomeMissing && r.Finding.State == step.StateMissing && r.Step.Apply != nil
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

// docsURL returns the URL of the step's page, empty if it has none.
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
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	OK         bool       `json:"ok"`
	Steps      []jsonStep `json:"steps"`
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
	doc := jsonCheck{APIVersion: step.APIVersion, Kind: "CheckReport", OK: r.Err() == nil, Steps: []jsonStep{}}
	for _, res := range r.Results {
		s := jsonStep{ID: res.Step.ID, Group: res.Step.Group, Title: res.Step.Title, Severity: res.Step.Severity,
			Finding: redacted(res.Finding),
			Docs:    docsURL(res.Step), Seconds: seconds(res.Elapsed)}
		doc.Steps = append(doc.Steps, s)
	}
	return doc
}
