package draw

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Box is a box of a graph.
type Box struct {
	ID string
	// Title is the text of the box, Note the smaller text below it.
	Title, Note string
	// Glyph is a mark before the title, which shows the state without colours.
	Glyph  string
	Colour Colour
	// Says is the tooltip of the box.
	Says string
	// Needs are the IDs of the boxes with an arrow to this one. IDs that are not in the graph are ignored.
	Needs []string
	// Strong emphasizes an important box, such as one on the critical path.
	Strong bool
}

// Graph is a picture of boxes and their needs, from left to right. The needs must not have a cycle.
type Graph struct {
	Name  string
	Boxes []Box
	Keys  []Key
}

// The sizes of a graph in pixels. A graph is not shrunk to the screen: it scrolls.
const (
	boxWidth, boxHeight = 228.0, 40.0
	boxGap, layerGap    = 10.0, 56.0
	bendHeight          = 6.0
	margin              = 4.0
	titleRunes          = 29
	noteRunes           = 33
)

func (g Graph) write(b *strings.Builder) {
	unconnected, connected := g.split()
	arranged := arrange(connected)
	width, height := arranged.place()
	columns := max(1, int((max(width, 5*(boxWidth+layerGap))+layerGap)/(boxWidth+layerGap)))
	top := height
	if len(connected) > 0 && len(unconnected) > 0 {
		top += 2 * boxGap
	}
	var out []Node
	for _, path := range arranged.paths() {
		class := ""
		if path.strong {
			class = "strong"
		}
		out = append(out, el("path", at("class", class, "d", path.d)))
	}
	for _, s := range arranged.boxes() {
		out = append(out, s.box.draw(s.x, s.y))
	}
	for i, box := range unconnected {
		x, y := float64(i%columns)*(boxWidth+layerGap), top+float64(i/columns)*(boxHeight+boxGap)
		out = append(out, box.draw(x, y))
		width, height = max(width, x+boxWidth), y+boxHeight
	}
	svg := el("svg", at("class", "graph", "role", "img", "aria-label", g.Name, "width", number(width+2*margin),
		"height", number(height+2*margin), "viewBox",
		strings.Join([]string{number(-margin), number(-margin), number(width + 2*margin), number(height + 2*margin)}, " ")),
		out...)
	el("div", at("class", "scroll", "tabindex", "0"), svg).write(b)
	legend(g.Keys).write(b)
}

// split returns the boxes without arrows, and the others.
func (g Graph) split() (unconnected, connected []Box) {
	needed := map[string]bool{}
	has := map[string]bool{}
	for _, b := range g.Boxes {
		has[b.ID] = true
	}
	for _, b := range g.Boxes {
		for _, n := range b.Needs {
			needed[n] = true
		}
	}
	for _, b := range g.Boxes {
		b.Needs = slices.DeleteFunc(slices.Clone(b.Needs), func(id string) bool { return !has[id] })
		if len(b.Needs) == 0 && !needed[b.ID] {
			unconnected = append(unconnected, b)
		} else {
			connected = append(connected, b)
		}
	}
	slices.SortStableFunc(unconnected, func(a, b Box) int { return cmp.Compare(groupOf(a.ID), groupOf(b.ID)) })
	return unconnected, connected
}

// groupOf returns the part of an ID before the slash.
func groupOf(id string) string {
	group, _, _ := strings.Cut(id, "/")
	return group
}

func (b Box) draw(x, y float64) Node {
	title := b.Title
	if b.Glyph != "" {
		x1 := x + 10
		return el("g", nil, el("title", nil, text(b.hover())), b.frame(x, y),
			el("text", at("class", "glyph "+b.Colour.class(), "x", number(x1), "y", number(y+17)), text(cut(b.Glyph, 1))),
			el("text", at("x", number(x1+16), "y", number(y+17)), text(cut(title, titleRunes))),
			el("text", at("class", "quiet", "x", number(x1), "y", number(y+33)), text(cut(b.Note, noteRunes))))
	}
	return el("g", nil, el("title", nil, text(b.hover())), b.frame(x, y),
		el("text", at("x", number(x+10), "y", number(y+17)), text(cut(title, titleRunes+2))),
		el("text", at("class", "quiet", "x", number(x+10), "y", number(y+33)), text(cut(b.Note, noteRunes))))
}

func (b Box) frame(x, y float64) Node {
	stroke := ""
	if b.Strong {
		stroke = "stroke-width:4"
	}
	return el("rect", at("class", b.Colour.class(), "style", stroke, "x", number(x), "y", number(y), "width",
		number(boxWidth), "height", number(boxHeight), "rx", "4"))
}

func (b Box) hover() string {
	if b.Says == "" {
		return b.ID
	}
	return b.Says
}

// cut shortens a text in its middle, because its ends distinguish it.
func cut(words string, runes int) string {
	words = sanitize.Value(words)
	if runes < 4 {
		r := []rune(words)
		return string(r[:min(runes, len(r))])
	}
	if utf8.RuneCountInString(words) <= runes {
		return words
	}
	r := []rune(words)
	head := runes * 2 / 3
	return strings.TrimRight(string(r[:head]), " ") + "…" + string(r[len(r)-(runes-head-1):])
}
