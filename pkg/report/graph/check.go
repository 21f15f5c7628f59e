package graph

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/draw"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/step"
)

// style is the representation of a state.
type style struct {
	glyph  string
	colour draw.Colour
	words  string
}

// styles has the style of each state. The glyph distinguishes them without colours.
var styles = map[step.State]style{
	step.StateOK:      {"✓", draw.Green, "ok"},
	step.StateMissing: {"✗", draw.Red, "missing"},
	step.StatePending: {"…", draw.Orange, "pending"},
	step.StateBroken:  {"✗", draw.Red, "broken"},
	step.StateUnknown: {"?", draw.Violet, "unknown"},
	step.StateSkipped: {"-", draw.Grey, "skipped"},
}

// OfCheck returns the graph of a check: each step with its state.
func OfCheck(r step.Report) draw.Graph {
	g := draw.Graph{Name: "prerequisites", Keys: []draw.Key{{Colour: draw.Green, Text: "✓ ok"},
		{Colour: draw.Red, Text: "✗ missing or broken"}, {Colour: draw.Orange, Text: "… pending, ! warning"},
		{Colour: draw.Violet, Text: "? unknown"}, {Colour: draw.Grey, Text: "- skipped"}}}
	for _, res := range r.Results {
		l := styles[res.Finding.State]
		if res.Outcome == step.OutcomeWarned {
			l.glyph, l.colour = "!", draw.Orange
		}
		says := string(res.Step.ID) + ": " + l.words + "\n" + findingText(res.Finding)
		g.Boxes = append(g.Boxes, draw.Box{ID: string(res.Step.ID), Title: title(res.Step), Note: string(res.Step.ID),
			Glyph: l.glyph, Colour: l.colour, Says: says, Needs: needs(res.Step)})
	}
	return g
}

// CheckPage returns the page of a check: the graph, and a table of the steps that are not well.
func CheckPage(r step.Report, on string) draw.Page {
	table := draw.Table{Head: []string{"Step", "State", "Says", "What to do"}}
	good := 0
	for _, res := range r.Results {
		if res.Good() && res.Outcome != step.OutcomeWarned {
			good++
			continue
		}
		table.Rows = append(table.Rows, []string{string(res.Step.ID), styles[res.Finding.State].words,
			findingText(res.Finding), redact.Secrets(res.Finding.Hint.String())})
	}
	p := draw.Page{Title: "Prerequisites of hosted clusters", Lead: []string{"Management cluster " + on + ".",
		fmt.Sprintf("%d of %d hold or are skipped.", good, len(r.Results))}, Body: []draw.Node{OfCheck(r)}}
	if len(table.Rows) > 0 {
		p.Body = append(p.Body, draw.Heading("What does not hold"), table)
	}
	return p
}

// title returns the title of a step's box, without the name of its subject.
func title(s *step.Step) string {
	if s.Subject != "" {
		_, name, _ := strings.Cut(s.Subject, "/")
		return strings.TrimPrefix(s.Title, name+": ")
	}
	return s.Title
}

// findingText returns a finding as text, without secrets.
func findingText(f step.Finding) string {
	words := f.Message
	if f.Object != "" {
		words = f.Object + ": " + words
	}
	return redact.Secrets(words)
}

func needs(s *step.Step) []string {
	out := make([]string, 0, len(s.Needs))
	for _, id := range s.Needs {
		out = append(out, string(id))
	}
	return out
}

// Document is the graph of a check for JSON.
type Document struct {
	step.TypeMeta
	Steps []documentStep `json:"steps"`
}

type documentStep struct {
	ID    step.ID `json:"id"`
	Group string  `json:"group"`
	Title string  `json:"title"`
	// Needs is never null.
	Needs []string   `json:"needs"`
	State step.State `json:"state"`
	// Message is the message of the finding, with the object.
	Message string `json:"message,omitempty"`
}

// NewDocument returns the Document of a check.
func NewDocument(r step.Report) Document {
	doc := Document{TypeMeta: step.NewTypeMeta("Graph"), Steps: []documentStep{}}
	for _, res := range r.Results {
		doc.Steps = append(doc.Steps, documentStep{ID: res.Step.ID, Group: res.Step.Group, Title: res.Step.Title,
			Needs: needs(res.Step), State: res.Finding.State, Message: findingText(res.Finding)})
	}
	return doc
}
