package draw

import (
	"strings"
)

// Point is a point of a line.
type Point struct{ X, Y float64 }

// Line is a line of a chart.
type Line struct {
	Name   string
	Colour Colour
	Points []Point
}

// Lines is a chart of lines over the values 0 to MostX and 0 to MostY.
type Lines struct {
	Name         string
	MostX, MostY float64
	// Levels are the horizontal lines with a text.
	Levels []Tick
	// Begin and End are the texts below the left and the right end.
	Begin, End string
	Lines      []Line
}

// lineBox is the size of the box in which lines are drawn. The browser stretches it, but not texts and strokes.
const lineBox = 1000.0

func (l Lines) write(b *strings.Builder) {
	var inside []Node
	for _, level := range l.Levels {
		top := percent(100 - share(level.At, l.MostY))
		inside = append(inside, el("hr", at("style", "top:"+top)),
			el("span", at("style", "top:calc("+top+" + 3px)"), text(level.Text)))
	}
	var lines []Node
	var keys []Key
	for _, line := range l.Lines {
		var points []string
		for _, p := range line.Points {
			points = append(points, number(share(p.X, l.MostX)/100*lineBox)+","+
				number(lineBox-share(p.Y, l.MostY)/100*lineBox))
		}
		if len(points) == 1 { // a line without length would be invisible
			p := line.Points[0]
			points = append(points, number(share(p.X, l.MostX)/100*lineBox+lineBox/100)+","+
				number(lineBox-share(p.Y, l.MostY)/100*lineBox))
		}
		keys = append(keys, Key{line.Colour, line.Name})
		if len(points) == 0 {
			continue
		}
		lines = append(lines, el("polyline", at("class", line.Colour.class(), "points", strings.Join(points, " "))))
	}
	inside = append(inside, el("svg", at("viewBox", "0 0 1000 1000", "preserveAspectRatio", "none", "role", "img",
		"aria-label", l.Name), lines...))
	all{
		el("div", at("class", "plot"), inside...),
		el("div", at("class", "ends"), el("span", nil, text(l.Begin)), el("span", nil, text(l.End))),
		legend(keys),
	}.write(b)
}
