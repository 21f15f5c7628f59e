package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/draw"
)

// page returns an HTML document without scripts, fonts or links.
func page(r *results) []byte {
	met, targets := 0, 0
	for _, f := range r.Figures {
		if f.Met != nil {
			targets++
			if *f.Met {
				met++
			}
		}
	}
	p := draw.Page{Title: "hcctl: measured", Lead: []string{
		fmt.Sprintf("%d of %d targets met. Commit %s, %s.", met, targets, r.Commit, r.Date), r.Machine.String() + ".",
		"A bar is the figure that is held against the target (the median, or the worst run where the target says so), a " +
			"dot each run, the mark the target; each bar has a scale of its own. The cluster is a sandbox: its API server " +
			"is real, its operators are simulated. The vendor's hcp is not compared with: there is none here to measure."}}
	for _, err := range r.Errors {
		p.Body = append(p.Body, draw.Notice("Not measured: "+err))
	}
	for _, g := range groups() {
		p.Body = append(p.Body, groupSection(r, g))
	}
	return []byte(p.String())
}

// groupSection returns the figures and series of a group, or nothing if it has none.
func groupSection(r *results, group string) draw.Node {
	chart := draw.Rows{Name: titles[group]}
	table := draw.Table{Head: []string{"what", "measured", "target", "runs", "command"}, Numbers: []bool{false, true,
		true,
		true, false}}
	for _, f := range r.Figures {
		if f.Group != group {
			continue
		}
		chart.Rows = append(chart.Rows, figureRow(f))
		target, runs := "–", "1"
		if f.Target != nil {
			target = f.Target.In(f.Unit)
		}
		if len(f.Runs) > 1 {
			runs = fmt.Sprintf("%d: %s to %s", len(f.Runs), measuring.Number(f.Min), measuring.Number(f.Max))
		}
		table.Rows = append(table.Rows, []string{f.What, measuring.Number(f.Judged()) + " " + f.Unit, target, runs,
			f.Command})
	}
	if len(chart.Rows) == 0 {
		return draw.Section()
	}
	nodes := []draw.Node{draw.Heading(titles[group]), chart, table}
	for _, s := range r.Series {
		if s.Group == group {
			nodes = append(nodes, s.drawn())
		}
	}
	return draw.Section(nodes...)
}

// figureRow returns the bar of a figure: red if it misses its target, grey without a target.
func figureRow(f figure) draw.Row {
	row := draw.Row{Label: f.What, Value: measuring.Number(f.Judged()) + " " + f.Unit, Most: f.Most()}
	colour := draw.Grey
	switch {
	case f.Met != nil && *f.Met:
		colour = draw.Blue
	case f.Met != nil:
		colour, row.Strong, row.Label = draw.Red, true, "missed: "+f.What
	}
	row.Bars = []draw.Bar{{To: f.Judged(), Colour: colour}}
	if len(f.Runs) > 1 {
		row.Dots = f.Runs
	}
	if f.Target != nil {
		row.Marks = []float64{f.Target.Value}
	}
	return row
}

// drawn returns the chart of a series.
func (s series) drawn() draw.Node {
	heading := draw.Subheading(s.Title)
	if s.Kind != "bars" {
		line := draw.Line{Name: s.Unit, Colour: draw.Blue}
		for _, p := range s.Sorted() {
			line.Points = append(line.Points, draw.Point{X: p.X, Y: p.Y})
		}
		return draw.Section(heading, draw.Lines{Name: s.Title, MostX: s.LastX(), MostY: s.Most(), Begin: "0",
			End: measuring.Number(s.LastX()) + " " + s.Across, Lines: []draw.Line{line},
			Levels: []draw.Tick{{At: s.Most(), Text: measuring.Number(s.Most()) + " " + s.Unit}}})
	}
	chart := draw.Rows{Name: s.Title, Most: s.Most()}
	for _, p := range s.Points {
		chart.Rows = append(chart.Rows, draw.Row{Label: shorten(p.Label, 52), Says: p.Label,
			Value: measuring.Number(p.Y) + " " + s.Unit, Bars: []draw.Bar{{To: p.Y, Colour: draw.Blue}}})
	}
	return draw.Section(heading, chart)
}

var titles = map[string]string{
	"create":    "Create a cluster",
	"get":       "List clusters",
	"check":     "Check the management cluster",
	"reaction":  "Reaction: from the last condition to the exit",
	"waiting":   "Requests while it waits",
	"bootstrap": "Bootstrap: hcctl's own share",
	"fleet":     "A fleet of 100 clusters",
	"broken":    "A fleet of which 5 % fails",
	"watch":     "1,000 clusters, 10,000 changes",
}

// Most returns the value at the right end of a figure's drawing.
func (f figure) Most() float64 {
	if f.Target != nil {
		return max(f.Max, f.Target.Value) * 1.05
	}
	return f.Max * 1.05
}

// Most returns the highest value of a series.
func (s series) Most() float64 {
	most := 0.0
	for _, p := range s.Points {
		most = max(most, p.Y)
	}
	return most
}

// LastX returns the end of the x axis of columns.
func (s series) LastX() float64 {
	last := 0.0
	for _, p := range s.Points {
		last = max(last, p.X)
	}
	return last
}

// Sorted returns the points from left to right.
func (s series) Sorted() []point {
	return slices.SortedStableFunc(slices.Values(s.Points), func(a, b point) int { return cmp.Compare(a.X, b.X) })
}

// shorten keeps the end of a long label, which is the significant part of a package.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return "…" + strings.TrimLeft(text[len(text)-n+1:], "/")
}
