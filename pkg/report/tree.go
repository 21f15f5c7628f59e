package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Mark is the symbol at the beginning of a line of a tree.
type Mark string

// The marks of lines.
const (
	MarkGood     Mark = "good"
	MarkWarning  Mark = "warning"
	MarkUnknown  Mark = "unknown"
	MarkUnderWay Mark = "under way"
	MarkBad      Mark = "bad"
)

func (m Mark) glyph(p paint) string {
	switch m {
	case MarkGood:
		return p.green("✓")
	case MarkWarning:
		return p.yellow("!")
	case MarkUnderWay:
		return p.yellow("…")
	case MarkBad:
		return p.red("✗")
	case MarkUnknown:
	}
	return p.yellow("?")
}

// Branch is a line of a tree with the lines below it.
type Branch struct {
	Mark Mark
	// Title is the subject of the line, such as "NodePool kv-00"; Text is about it. Either may be empty.
	Title, Text string
	// Hint is the advice, on its own line.
	Hint     string
	Branches []Branch
}

// Tree writes lines with marks, each level indented. On a screen of known width it wraps long texts.
func Tree(w io.Writer, s Screen, branches ...Branch) error {
	var b strings.Builder
	for _, branch := range branches {
		writeBranch(&b, paint{s.Colour}, s.Width, "", branch)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeBranch(b *strings.Builder, p paint, width int, indent string, br Branch) {
	br.Title, br.Hint = sanitize.Value(br.Title), sanitize.Value(br.Hint)
	text := sanitize.Value(br.Text)
	if br.Title != "" && text != "" {
		text = ": " + text
	}
	lines := wrap(br.Title+text, width-len(indent)-2)
	if rest, ok := strings.CutPrefix(lines[0], br.Title); ok {
		lines[0] = p.bold(br.Title) + rest
	}
	fmt.Fprintf(b, "%s%s %s\n", indent, br.Mark.glyph(p), lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(b, "%s  %s\n", indent, line)
	}
	if br.Hint != "" {
		for i, line := range wrap(br.Hint, width-len(indent)-4) {
			arrow := "→"
			if i > 0 {
				arrow = " "
			}
			fmt.Fprintf(b, "%s  %s %s\n", indent, arrow, line)
		}
	}
	for _, sub := range br.Branches {
		writeBranch(b, p, width, indent+"  ", sub)
	}
}

// wrap is Wrap, except that it does nothing for a width below 20.
func wrap(text string, width int) []string {
	if width < 20 {
		return []string{text}
	}
	return Wrap(text, width)
}

// Wrap breaks a text between words into lines of at most width characters. A longer word stays whole.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// Row is a line of a table with its mark.
type Row struct {
	Mark  Mark
	Cells []string
}

// Rows writes a table with marks. If the width of the screen is known, it cuts lines.
func Rows(w io.Writer, s Screen, headings []string, rows []Row) error {
	p := paint{s.Colour}
	widths := make([]int, len(headings))
	rows = printableRows(rows)
	for _, row := range append([]Row{{Cells: headings}}, rows...) {
		for i, c := range row.Cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	line := func(cells []string) string {
		var b strings.Builder
		for i, c := range cells {
			b.WriteString(c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
		}
		return truncate(strings.TrimRight(b.String(), " "), s.Width-2)
	}
	var b strings.Builder
	b.WriteString("  " + p.bold(line(headings)) + "\n")
	for _, row := range rows {
		b.WriteString(row.Mark.glyph(p) + " " + line(row.Cells) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printableRows returns the rows with each cell on one line, without control characters.
func printableRows(rows []Row) []Row {
	out := make([]Row, 0, len(rows))
	for _, row := range rows {
		cells := make([]string, 0, len(row.Cells))
		for _, c := range row.Cells {
			cells = append(cells, sanitize.Value(c))
		}
		out = append(out, Row{row.Mark, cells})
	}
	return out
}
