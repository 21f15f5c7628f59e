package cli

import (
	"strings"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// fill wraps paragraphs at width columns. Indented lines stay as they are, except rows of a list.
func fill(text string, width int) string {
	var out []string
	var list row
	line := ""
	flush := func() {
		if line != "" {
			out = append(out, line)
		}
		out = append(out, list.lines(width)...)
		line, list = "", row{}
	}
	for _, input := range strings.Split(text, "\n") {
		if list.continues(input) {
			list.input = append(list.input, input)
			continue
		}
		if input == "" || strings.HasPrefix(input, " ") || strings.HasPrefix(input, "- ") {
			flush()
			list.input = []string{input}
			continue
		}
		if len(list.input) > 0 {
			flush()
		}
		for _, word := range strings.Fields(input) {
			if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
				flush()
			}
			if line != "" {
				line += " "
			}
			line += word
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// row is a name with its text beside it, in the input lines. The text may continue on further lines.
type row struct{ input []string }

// name returns the name with the spaces after it. It returns "" if the lines are not a row, such as a command,
// which must stay whole.
func (r row) name() string {
	if len(r.input) > 0 {
		if m := listLine.FindStringSubmatch(r.input[0]); m != nil {
			return m[1]
		}
	}
	return ""
}

// continues reports whether a line continues the text.
func (r row) continues(line string) bool {
	n := len([]rune(r.name()))
	return n > 0 && len(line) > n && line[n] != ' ' && strings.TrimSpace(line[:n]) == ""
}

// lines returns the row unchanged if it fits, else wrapped. A very long name gets its own line.
func (r row) lines(width int) []string {
	name, text, fits := r.name(), "", true
	for _, line := range r.input {
		fits = fits && len([]rune(line)) <= width
		text += " " + strings.TrimSpace(line)
	}
	if fits || name == "" {
		return r.input
	}
	column := len([]rune(name))
	if column > width/2 {
		column = width / 3 // entry gives the name its own line
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, " "+strings.TrimSpace(name)))
	out := entry(strings.TrimRight(name, " "), text, column, width)
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

// listLine matches the first line of a row: a name, which may be several words, and at least two spaces before
// the text.
var listLine = lazyregexp.New(`^( +\S+(?: \S+)*  +)\S`)
