package draw

import (
	"strconv"
	"strings"
)

// Colour is one of the seven colours of pictures. The page has a dark and a light variant of each.
type Colour int

// The colours. Pictures decide what they mean.
const (
	Blue Colour = iota
	Orange
	Green
	Red
	Teal
	Violet
	Grey
)

// Nth returns a colour for the nth of several items, starting again after the last colour.
func Nth(n int) Colour { return Colour(n % (int(Grey) + 1)) }

// class returns the CSS class of a colour.
func (c Colour) class() string { return "c" + strconv.Itoa(int(c)) }

// Bar is a part of a row, from one value to another.
type Bar struct {
	From, To float64
	Colour   Colour
	// Thin draws a line instead of a bar, for example from the minimum to the maximum.
	Thin bool
	// Says is the tooltip of the bar.
	Says string
}

// Row is a labelled row of bars.
type Row struct {
	Label string
	// Says is the tooltip of the label; empty means the label.
	Says string
	// Value is the text at the right end.
	Value string
	Bars  []Bar
	// Marks are values with a mark across the row, Dots values with a small dot.
	Marks, Dots []float64
	// Strong emphasizes an important row, such as one on the critical path.
	Strong bool
	// Most is the maximum of a row with its own scale; 0 means that of the chart.
	Most float64
}

// Tick is a value of the axis with its text.
type Tick struct {
	At   float64
	Text string
}

// Key is a row of the legend.
type Key struct {
	Colour Colour
	Text   string
}

// Rows is a chart of horizontal bars over one axis from 0 to Most.
type Rows struct {
	// Name describes the chart for screen readers.
	Name  string
	Most  float64
	Ticks []Tick
	Rows  []Row
	Keys  []Key
}

func (r Rows) write(b *strings.Builder) {
	var rows []Node
	if len(r.Ticks) > 0 {
		rows = append(rows, r.axis())
	}
	for _, row := range r.Rows {
		rows = append(rows, r.row(row))
	}
	el("div", at("class", "rows", "role", "group", "aria-label", r.Name), rows...).write(b)
	legend(r.Keys).write(b)
}

func (r Rows) row(row Row) Node {
	var marks []Node
	if row.Most == 0 {
		row.Most = r.Most
	}
	for _, bar := range row.Bars {
		class := bar.Colour.class()
		if bar.Thin {
			class += " thin"
		}
		from := share(bar.From, row.Most)
		marks = append(marks, el("i", at("class", class, "title", bar.Says, "style",
			"left:"+percent(from)+";width:"+percent(share(bar.To, row.Most)-from))))
	}
	for _, v := range row.Dots {
		marks = append(marks, el("i", at("class", "dot", "style", "left:"+percent(share(v, row.Most)))))
	}
	for _, v := range row.Marks {
		marks = append(marks, el("i", at("class", "mark", "style", "left:"+percent(share(v, row.Most)))))
	}
	class, says := "row", row.Says
	if row.Strong {
		class += " strong"
	}
	if says == "" {
		says = row.Label
	}
	return el("div", at("class", class), el("b", at("title", says), text(row.Label)),
		el("div", at("class", "track"), marks...), el("span", at("class", "value"), text(row.Value)))
}

// axis returns the row of the ticks.
func (r Rows) axis() Node {
	var ticks []Node
	for i, t := range r.Ticks {
		class := ""
		switch {
		case i == 0:
			class = "first"
		case share(t.At, r.Most) > 95:
			class = "last"
		}
		ticks = append(ticks, el("span", at("class", class, "style", "left:"+percent(share(t.At, r.Most))), text(t.Text)))
	}
	return el("div", at("class", "row axis"), el("b", nil), el("div", at("class", "track"), ticks...), el("span", nil))
}

// legend returns the meanings of the colours.
func legend(keys []Key) Node {
	if len(keys) == 0 {
		return all(nil)
	}
	var out []Node
	for _, k := range keys {
		out = append(out, el("span", nil, el("i", at("class", k.Colour.class())), text(k.Text)))
	}
	return el("div", at("class", "legend"), out...)
}
