package draw

import (
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// dotColours are the colours of boxes in DOT, which has no dark and light modes.
var dotColours = [...]string{"#2f6fb3", "#9c540b", "#2a6b40", "#b23a3a", "#1f7f86", "#83479b", "#7a828b"}

// DOT returns the graph in the language of Graphviz.
func (g Graph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph " + quoted(g.Name) + " {\n" +
		"  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n")
	has := map[string]bool{}
	for _, box := range g.Boxes {
		has[box.ID] = true
	}
	for _, box := range g.Boxes {
		label := strings.TrimSpace(box.Glyph + " " + box.Title)
		if box.Note != "" {
			label += "\n" + box.Note
		}
		b.WriteString("  " + quoted(box.ID) + " [label=" + quotedLines(label) + ", color=" + quoted(dotColours[box.Colour]) +
			", tooltip=" + quoted(box.hover()) + "];\n")
	}
	for _, box := range g.Boxes {
		for _, need := range box.Needs {
			if has[need] {
				b.WriteString("  " + quoted(need) + " -> " + quoted(box.ID) + ";\n")
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// quoted returns a string in DOT syntax.
func quoted(words string) string { return `"` + escaped(words) + `"` }

// escaped escapes a string for DOT. A backslash is doubled, because Graphviz has escapes such as \N in labels.
func escaped(words string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sanitize.Value(words))
}

// quotedLines returns a string with line breaks in DOT syntax.
func quotedLines(words string) string {
	lines := strings.Split(words, "\n")
	for i, line := range lines {
		lines[i] = escaped(line)
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
