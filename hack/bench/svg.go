package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	stripWidth  = 360
	stripHeight = 26
	chartWidth  = 720
	barHeight   = 20
	lineHeight  = 240
	// marginLeft and its like leave room for labels.
	marginLeft, marginRight, marginTop, marginBottom = 56, 24, 12, 34
)

// strip draws the runs of a figure as dots on a line from 0, with the judged value as a bar and the target as a mark; both are told in the text
// beside it.
func strip(f figure) string {
	most := f.Max
	if f.Target != nil {
		most = max(most, f.Target.Value)
	}
	if most <= 0 {
		most = 1
	}
	x := func(v float64) float64 { return 4 + (stripWidth-8)*v/(most*1.05) }
	class := "bar"
	if f.Met != nil && !*f.Met {
		class = "bar missed"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %d %d" role="img" aria-label="%s">`, stripWidth, stripHeight, escape(f.What+": "+number(f.Judged())+" "+f.Unit))
	fmt.Fprintf(&b, `<rect class="track" x="4" y="9" width="%d" height="8" rx="2"/>`, stripWidth-8)
	fmt.Fprintf(&b, `<rect class="%s" x="4" y="9" width="%.1f" height="8" rx="2"/>`, class, max(x(f.Judged())-4, 0))
	if len(f.Runs) > 1 {
		for _, v := range f.Runs {
			fmt.Fprintf(&b, `<circle class="run" cx="%.1f" cy="13" r="2.2"/>`, x(v))
		}
	}
	if f.Target != nil {
		at := x(f.Target.Value)
		fmt.Fprintf(&b, `<line class="target" x1="%.1f" y1="2" x2="%.1f" y2="24"/>`, at, at)
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// chart draws a series by its kind.
func chart(s series) string {
	if len(s.Points) == 0 {
		return ""
	}
	if s.Kind == "bars" {
		return bars(s)
	}
	return plot(s)
}

// bars draws a bar for each point, longest first as they come.
func bars(s series) string {
	const label = 330
	most := 0.0
	for _, p := range s.Points {
		most = max(most, p.Y)
	}
	if most <= 0 {
		most = 1
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, barHeight*len(s.Points)+8, escape(s.Title))
	for i, p := range s.Points {
		y := 4 + barHeight*i
		width := (chartWidth - label - 90) * p.Y / most
		fmt.Fprintf(&b, `<text class="label" x="%d" y="%d" text-anchor="end">%s</text>`, label-8, y+14, escape(shorten(p.Label, 52)))
		fmt.Fprintf(&b, `<rect class="bar" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`, label, y+3, max(width, 1), barHeight-6)
		fmt.Fprintf(&b, `<text class="value" x="%.1f" y="%d">%s %s</text>`, label+max(width, 1)+6, y+14, number(p.Y), escape(s.Unit))
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// plot draws points joined by a line, both axes from 0.
func plot(s series) string {
	mostX, mostY := 0.0, 0.0
	for _, p := range s.Points {
		mostX, mostY = max(mostX, p.X), max(mostY, p.Y)
	}
	stepX, stepY := tick(mostX), tick(mostY)
	mostX, mostY = max(mostX, stepX), max(math.Ceil(mostY/stepY), 1)*stepY
	x := func(v float64) float64 { return marginLeft + (chartWidth-marginLeft-marginRight)*v/mostX }
	y := func(v float64) float64 {
		return lineHeight - marginBottom - (lineHeight-marginTop-marginBottom)*v/mostY
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, lineHeight, escape(s.Title))
	for v := 0.0; v <= mostY*1.001; v += stepY {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, marginLeft, y(v), chartWidth-marginRight, y(v))
		fmt.Fprintf(&b, `<text class="label" x="%d" y="%.1f" text-anchor="end">%s</text>`, marginLeft-6, y(v)+4, number(v))
	}
	for v := 0.0; v <= mostX*1.001; v += stepX {
		fmt.Fprintf(&b, `<text class="label" x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(v), lineHeight-marginBottom+16, number(v))
	}
	fmt.Fprintf(&b, `<text class="label" x="%d" y="%d" text-anchor="end">%s</text>`, chartWidth-marginRight, lineHeight-4, escape(s.Across))
	var path []string
	points := slices.Clone(s.Points)
	slices.SortStableFunc(points, func(a, b point) int { return int(math.Copysign(1, a.X-b.X)) })
	for _, p := range points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x(p.X), y(p.Y)))
	}
	fmt.Fprintf(&b, `<polyline class="line" points="%s"/>`, strings.Join(path, " "))
	if len(points) <= 60 {
		for _, p := range points {
			fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="%.1f" r="2.6"><title>%s: %s %s</title></circle>`, x(p.X), y(p.Y), number(p.X), number(p.Y), escape(s.Unit))
		}
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// tick is a round distance between marks, so that there are four to ten up to a value.
func tick(most float64) float64 {
	if most <= 0 {
		return 1
	}
	for size := math.Pow(10, math.Floor(math.Log10(most))); ; size /= 10 {
		for _, n := range []float64{2, 1, 0.5, 0.2} {
			if most/(n*size) >= 4 {
				return n * size
			}
		}
	}
}
