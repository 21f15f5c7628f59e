package draw

import (
	"fmt"
	"html"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Node is a part of a page.
type Node interface{ write(b *strings.Builder) }

// element is an HTML or SVG element.
type element struct {
	name string
	// attributes are pairs of name and value.
	attributes []string
	children   []Node
}

// el returns an element. Attributes are pairs of name and value; those without a value are omitted.
func el(name string, attributes []string, children ...Node) Node {
	return element{name, attributes, children}
}

// at returns attributes as pairs. Titles and labels are sanitized to one line.
func at(pairs ...string) []string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "title" || pairs[i] == "aria-label" {
			pairs[i+1] = sanitize.Value(pairs[i+1])
		}
	}
	return pairs
}

// isVoid reports whether HTML forbids an end tag.
func isVoid(name string) bool { return name == "meta" || name == "br" }

func (e element) write(b *strings.Builder) {
	b.WriteString("<" + e.name)
	for i := 0; i+1 < len(e.attributes); i += 2 {
		if value := e.attributes[i+1]; value != "" {
			b.WriteString(" " + e.attributes[i] + `="` + html.EscapeString(value) + `"`)
		}
	}
	b.WriteString(">")
	if isVoid(e.name) {
		return
	}
	for _, c := range e.children {
		c.write(b)
	}
	b.WriteString("</" + e.name + ">")
	if e.name != "span" && e.name != "b" && e.name != "i" && e.name != "code" {
		b.WriteString("\n")
	}
}

// text is escaped text on one line.
type text string

func (t text) write(b *strings.Builder) { b.WriteString(html.EscapeString(sanitize.Value(string(t)))) }

// all is several nodes, one after the other.
type all []Node

func (a all) write(b *strings.Builder) {
	for _, n := range a {
		n.write(b)
	}
}

// Heading returns the heading of a section.
func Heading(words string) Node { return el("h2", nil, text(words)) }

// Subheading returns a heading within a section.
func Subheading(words string) Node { return el("h3", nil, text(words)) }

// Paragraph returns a paragraph of text.
func Paragraph(words string) Node { return el("p", nil, text(words)) }

// Notice returns a highlighted paragraph, such as the reason why a run ended early.
func Notice(words string) Node { return el("p", at("class", "notice"), text(words)) }

// Section joins nodes.
func Section(nodes ...Node) Node { return all(nodes) }

// Code returns text with its line breaks, such as a diff. Lines that begin with + or - are coloured.
func Code(lines string) Node {
	var out []Node
	for line := range strings.SplitSeq(strings.TrimSuffix(lines, "\n"), "\n") {
		class := ""
		switch {
		case strings.HasPrefix(line, "+"):
			class = "added"
		case strings.HasPrefix(line, "-"):
			class = "removed"
		}
		out = append(out, el("span", at("class", class), codeLine(line)))
	}
	return el("pre", nil, out...)
}

// codeLine is a line whose spaces are kept.
type codeLine string

func (c codeLine) write(b *strings.Builder) {
	b.WriteString(html.EscapeString(sanitize.Line(string(c))) + "\n")
}

// Table is a table. Columns of Numbers are aligned to the right.
type Table struct {
	Head    []string
	Numbers []bool
	Rows    [][]string
}

func (t Table) write(b *strings.Builder) {
	cells := func(tag string, row []string) Node {
		var out []Node
		for i, c := range row {
			class := ""
			if i < len(t.Numbers) && t.Numbers[i] {
				class = "number"
			}
			out = append(out, el(tag, at("class", class), text(c)))
		}
		return el("tr", nil, out...)
	}
	var rows []Node
	for _, r := range t.Rows {
		rows = append(rows, cells("td", r))
	}
	el("div", at("class", "scroll"),
		el("table", nil, el("thead", nil, cells("th", t.Head)), el("tbody", nil, rows...))).write(b)
}

// number formats a coordinate.
func number(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// share returns a value's position between 0 and limit, in percent.
func share(v, limit float64) float64 {
	if limit <= 0 {
		return 0
	}
	return min(max(v/limit, 0), 1) * 100
}

func percent(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00") + "%" }
