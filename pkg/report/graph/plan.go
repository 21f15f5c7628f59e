package graph

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/draw"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// actions has the style of each planned action.
var actions = map[step.Action]style{
	step.ActionKeep:   {"✓", draw.Green, "nothing to do"},
	step.ActionWrite:  {"+", draw.Blue, "to do"},
	step.ActionWait:   {"…", draw.Orange, "to wait for"},
	step.ActionOpen:   {"?", draw.Teal, "undecided until others are done"},
	step.ActionPerson: {"✗", draw.Red, "needs a manual step or a flag"},
	step.ActionStop:   {"✗", draw.Red, "would fail"},
	step.ActionUnseen: {"?", draw.Violet, "unknown"},
	step.ActionLeave:  {"-", draw.Grey, "would not start"},
}

// OfPlan returns the graph of a plan: each step with its planned action.
func OfPlan(steps []report.PlannedStep) draw.Graph {
	g := draw.Graph{Name: "plan", Keys: []draw.Key{{Colour: draw.Green, Text: "✓ nothing to do"},
		{Colour: draw.Blue, Text: "+ to do"}, {Colour: draw.Orange, Text: "… to wait for"},
		{Colour: draw.Teal, Text: "? undecided until others are done"},
		{Colour: draw.Red, Text: "✗ would fail, or needs a manual step"},
		{Colour: draw.Grey, Text: "- would not start"}}}
	for _, one := range steps {
		l := actions[one.Action]
		note := string(one.Step.ID)
		if one.Step.Subject != "" {
			note = one.Step.Subject
		}
		g.Boxes = append(g.Boxes, draw.Box{ID: string(one.Step.ID), Title: title(one.Step), Note: note, Glyph: l.glyph,
			Colour: l.colour, Says: string(one.Step.ID) + ": " + one.Line(), Needs: needs(one.Step)})
	}
	return g
}

// PlanPage returns the page of a plan: the notices, the graph, and the planned writes of each step as in --dry-run.
func PlanPage(heading string, steps []report.PlannedStep, notices ...string) draw.Page {
	p := draw.Page{Title: heading, Lead: []string{report.PlanTally(steps) + "."}}
	for _, n := range notices {
		p.Body = append(p.Body, draw.Notice(n))
	}
	p.Body = append(p.Body, OfPlan(steps))
	unchanged := 0
	var body []draw.Node
	for _, one := range steps {
		if one.Action == step.ActionKeep && len(one.Writes) == 0 {
			unchanged++
			continue
		}
		body = append(body, draw.Subheading(one.Step.Title+" ("+string(one.Step.ID)+")"), draw.Paragraph(one.Line()))
		for _, w := range one.Writes {
			body = append(body, draw.Paragraph(w.Verb+" "+w.Object()))
			if w.Verb != "delete" && w.Diff != "" {
				body = append(body, draw.Code(w.Diff))
			}
		}
	}
	if len(body) > 0 {
		p.Body = append(append(p.Body, draw.Heading("What would be done")), body...)
	}
	if unchanged > 0 {
		p.Body = append(p.Body, draw.Paragraph(fmt.Sprintf("Nothing to do: %d of %s.", unchanged,
			plural.Count(len(steps), "step"))))
	}
	return p
}
