package timeline

import (
	"math"

	"github.com/hcctl/hcctl/internal/draw"
	"github.com/hcctl/hcctl/internal/plural"
)

// colours are the colours of a part. A part that did not succeed is red.
var colours = map[Kind]draw.Colour{Checking: draw.Grey, Writing: draw.Orange, Waiting: draw.Blue}

// Page returns the run as one HTML page.
func (r *Run) Page() draw.Page {
	lead := []string{Seconds(r.Seconds) + ", " + r.End + ". Begun " +
		r.Begun.UTC().Format("2006-01-02 15:04:05 MST") + "."}
	if r.On != "" {
		lead = append(lead, "On "+r.On+".")
	}
	if r.Clock == "conditions" {
		lead = append(lead, "Times are the last transitions of conditions, in whole seconds.")
	}
	p := draw.Page{Title: "Timeline: " + r.Title, Lead: lead}
	for _, n := range r.Notes {
		p.Body = append(p.Body, draw.Notice("At "+Seconds(n.At)+": "+n.Text))
	}
	p.Body = append(p.Body, draw.Heading("Steps"), r.rows(), draw.Heading("The critical path"),
		draw.Paragraph("What the end of the run waited for. Only a shorter step of these makes the run shorter."),
		r.pathTable(), draw.Heading("Each step"), r.stepTable())
	return p
}

// rows returns the chart. Steps without a row are counted below it.
func (r *Run) rows() draw.Node {
	chart := draw.Rows{Name: "each step's time", Most: r.Seconds, Ticks: ticks(r.Seconds), Keys: []draw.Key{
		{Colour: draw.Grey, Text: "hcctl checks"}, {Colour: draw.Orange, Text: "hcctl writes"},
		{Colour: draw.Blue, Text: "waits for the cluster"}, {Colour: draw.Red, Text: "did not succeed"}}}
	rest := 0
	for _, s := range r.Ordered() {
		if !r.worthARow(s) {
			rest++
			continue
		}
		row := draw.Row{Label: s.ID, Says: s.Title, Value: Seconds(s.Seconds()), Strong: s.Critical}
		bad := s.Outcome != "done" && s.Outcome != "warned"
		for i, p := range s.Parts {
			colour := colours[p.Kind]
			if bad && i == len(s.Parts)-1 {
				colour = draw.Red
			}
			says := Seconds(p.From) + " to " + Seconds(p.To) + ": " + string(p.Kind)
			if p.Kind == Waiting {
				says = Seconds(p.From) + " to " + Seconds(p.To) + ": " + p.words()
			}
			row.Bars = append(row.Bars, draw.Bar{From: p.From, To: p.To, Colour: colour, Says: says})
		}
		if len(s.Parts) == 0 {
			row.Bars = []draw.Bar{{From: s.From, To: s.To, Colour: draw.Grey, Says: s.Last}}
		}
		chart.Rows = append(chart.Rows, row)
	}
	nodes := []draw.Node{chart, draw.Paragraph("Rows with a frame are on the critical path.")}
	if rest > 0 {
		nodes = append(nodes, draw.Paragraph(plural.Count(rest, "step")+" without a row: each took less than a hundredth of "+
			"the run and changed nothing."))
	}
	return draw.Section(nodes...)
}

func (r *Run) pathTable() draw.Node {
	t := draw.Table{Head: []string{"Step", "Time", "Waited", "For"}, Numbers: []bool{false, true, true, false}}
	for _, s := range r.CriticalPath() {
		parts := s.Longest()
		if len(parts) == 0 {
			t.Rows = append(t.Rows, []string{s.ID, Seconds(s.Seconds()), "", s.Last})
		}
		for i, p := range parts {
			name, took := s.ID, Seconds(s.Seconds())
			if i > 0 {
				name, took = "", ""
			}
			t.Rows = append(t.Rows, []string{name, took, Seconds(p.Seconds()), p.words()})
		}
	}
	return t
}

func (r *Run) stepTable() draw.Node {
	t := draw.Table{Head: []string{"Step", "Begins", "Ends", "Takes", "Result", "Last message"},
		Numbers: []bool{false, true, true, true, false, false}}
	for _, s := range r.Ordered() {
		result := s.Outcome
		if s.Change != "" && s.Outcome == "done" {
			result = s.Change
		}
		t.Rows = append(t.Rows, []string{s.ID, Seconds(s.From), Seconds(s.To), Seconds(s.Seconds()), result, s.Last})
	}
	return t
}

// ticks returns at most seven values of the axis, at round numbers of seconds, minutes or hours.
func ticks(maximum float64) []draw.Tick {
	gaps := []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 4 * 3600, 12 * 3600,
		24 * 3600, 7 * 24 * 3600}
	gap := gaps[len(gaps)-1]
	for _, g := range gaps {
		if maximum/g <= 6 {
			gap = g
			break
		}
	}
	var out []draw.Tick
	for i := 0; float64(i)*gap <= maximum && i < 8; i++ {
		at := math.Round(float64(i)*gap*10) / 10
		out = append(out, draw.Tick{At: at, Text: Seconds(at)})
	}
	return out
}
