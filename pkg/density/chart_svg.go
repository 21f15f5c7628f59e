package density

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs"
)

// The sizes of a drawing in its own units.
const (
	drawWidth = 900.0
	leftGap   = 150.0
	rightGap  = 60.0
	rowHeight = 22.0
	lineSpace = 220.0
)

// colours are those of milestones and lines.
func colours() []string {
	return []string{"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f"}
}

// xPosition returns the position of a value on a line from 0 to most.
func xPosition(value, most float64) float64 {
	if most <= 0 {
		return leftGap
	}
	return leftGap + value/most*(drawWidth-leftGap-rightGap)
}

func svg(b *strings.Builder, height float64) {
	fmt.Fprintf(b, `<svg viewBox="0 0 %.0f %.0f" role="img">`+"\n", drawWidth, height)
}

func label(b *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(text))
}

// quantileBars draws a bar for each row: thin from min to max, thick from p50 to p99, with a mark at p90.
func quantileBars(rows []Quantiles) string {
	var b strings.Builder
	most := 0.0
	for _, q := range rows {
		most = max(most, q.Max)
	}
	svg(&b, rowHeight*float64(len(rows)+1))
	for i, q := range rows {
		y, colour := rowHeight*float64(i)+rowHeight/2, colours()[i%len(colours())]
		label(&b, leftGap-8, y+4, "end", q.Name)
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s"/>`+"\n", xPosition(q.Min, most),
			xPosition(q.Max, most), y, y, colour)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="10" fill="%s"/>`+"\n", xPosition(q.P50, most), y-5,
			max(2, xPosition(q.P99, most)-xPosition(q.P50, most)), colour)
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#222"/>`+"\n", xPosition(q.P90, most),
			xPosition(q.P90, most), y-7, y+7)
		label(&b, xPosition(q.Max, most)+5, y+4, "start", fmt.Sprintf("%.1f", q.Max))
	}
	label(&b, leftGap, rowHeight*float64(len(rows)+1)-6, "start", "thin: least to most; thick: p50 to p99; mark: p90; "+
		"seconds")
	b.WriteString("</svg>\n")
	return b.String()
}

// clusterBars draws a row for each cluster. A milestone's colour ends where the cluster reached it.
func clusterBars(r *Record) string {
	var b strings.Builder
	most := 0.0
	var rows []*ClusterTimes
	for _, c := range r.Clusters {
		if len(c.Milestones) == 0 {
			continue
		}
		rows = append(rows, c)
		for _, m := range c.Milestones {
			most = max(most, m.Seconds)
		}
	}
	if len(rows) == 0 {
		return "<p>None reached a milestone.</p>\n"
	}
	const thin = 14.0
	svg(&b, thin*float64(len(rows)+2))
	for i, c := range rows {
		y, from := thin*float64(i), 0.0
		label(&b, leftGap-8, y+thin-4, "end", c.Name)
		for j, m := range milestones() {
			at, ok := c.Milestones[m.name]
			if !ok || at.Seconds < from {
				continue
			}
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s: %s %.1f s</title></rect>`+
				"\n", xPosition(from, most), y+1,
				xPosition(at.Seconds, most)-xPosition(from, most), thin-2, colours()[j%len(colours())], html.EscapeString(c.Name),
				m.name,
				at.Seconds)
			from = at.Seconds
		}
		label(&b, xPosition(from, most)+5, y+thin-4, "start", fmt.Sprintf("%.1f", from))
	}
	x := leftGap
	for j, m := range milestones() {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="9" height="9" fill="%s"/>`+"\n", x, thin*float64(len(rows))+8,
			colours()[j%len(colours())])
		label(&b, x+12, thin*float64(len(rows))+17, "start", m.name)
		x += 20 + 8*float64(len(m.name))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// loadLines draws what the pods request of the nodes over time, in percent, and the number of clusters.
func loadLines(r *Record) string {
	if len(r.Samples) == 0 {
		return "<p>There was no time to look.</p>\n"
	}
	var b strings.Builder
	begin, end := r.Samples[0].At, r.Samples[len(r.Samples)-1].At
	length := max(end.Sub(begin), time.Second).Seconds()
	most := 1
	for _, p := range r.Samples {
		most = max(most, p.Begun)
	}
	svg(&b, lineSpace+40)
	percent := func(part func(prereqs.Resources) int64) func(Point) float64 {
		return func(p Point) float64 { return float64(part(p.Requested)) / float64(max(part(p.Allocatable), 1)) }
	}
	lines := []struct {
		name string
		of   func(Point) float64
	}{
		{"CPU requested, % of allocatable", percent(func(a prereqs.Resources) int64 { return a.MilliCPU })},
		{"memory", percent(func(a prereqs.Resources) int64 { return a.Memory })},
		{"pods", percent(func(a prereqs.Resources) int64 { return a.Pods })},
		{fmt.Sprintf("clusters begun, %% of %d", most), func(p Point) float64 { return float64(p.Begun) / float64(most) }},
	}
	for _, mark := range []float64{0, 0.5, 1} {
		y := 10 + (lineSpace-20)*(1-mark)
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", leftGap, drawWidth-rightGap,
			y, y)
		label(&b, leftGap-8, y+4, "end", fmt.Sprintf("%.0f %%", mark*100))
	}
	x := leftGap
	for i, line := range lines {
		var points []string
		for p := range slices.Values(r.Samples) {
			points = append(points, fmt.Sprintf("%.1f,%.1f", xPosition(p.At.Sub(begin).Seconds(), length),
				10+(lineSpace-20)*(1-min(line.of(p), 1))))
		}
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>`+"\n", colours()[i],
			strings.Join(points, " "))
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="9" height="9" fill="%s"/>`+"\n", x, lineSpace+18, colours()[i])
		label(&b, x+12, lineSpace+27, "start", line.name)
		x += 24 + 6.5*float64(len(line.name))
	}
	label(&b, drawWidth-rightGap, lineSpace+8, "end", fmt.Sprintf("%.0f s", length))
	b.WriteString("</svg>\n")
	return b.String()
}
