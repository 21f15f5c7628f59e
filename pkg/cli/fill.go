package cli

import (
	"strings"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// fill breaks paragraphs into lines of at most width columns. What is set in stays as it is, but for rows of a list.
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
	for _, given := range strings.Split(text, "\n") {
		if list.goesOn(given) {
			list.given = append(list.given, given)
			continue
		}
		if given == "" || strings.HasPrefix(given, " ") || strings.HasPrefix(given, "- ") {
			flush()
			list.given = []string{given}
			continue
		}
		if len(list.given) > 0 {
			flush()
		}
		for _, word := range strings.Fields(given) {
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

// row is a name with its text beside it, as they are given: the text may go on below itself.
type row struct{ given []string }

// name is the name with the space behind it; empty for what is no row, such as a command, which stays whole.
func (r row) name() string {
	if len(r.given) > 0 {
		if m := listLine.FindStringSubmatch(r.given[0]); m != nil {
			return m[1]
		}
	}
	return ""
}

// goesOn reports whether a line is more of the text.
func (r row) goesOn(line string) bool {
	n := len([]rune(r.name()))
	return n > 0 && len(line) > n && line[n] != ' ' && strings.TrimSpace(line[:n]) == ""
}

// lines are the row as given if it fits, else broken. A very long name has a line of its own.
func (r row) lines(width int) []string {
	name, text, fits := r.name(), "", true
	for _, line := range r.given {
		fits = fits && len([]rune(line)) <= width
		text += " " + strings.TrimSpace(line)
	}
	if fits || name == "" {
		return r.given
	}
	column := len([]rune(name))
	if column > width/2 {
		column = width / 3 // entry gives the name a line of its own
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, " "+strings.TrimSpace(name)))
	out := entry(strings.TrimRight(name, " "), text, column, width)
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

// listLine is the first line of a row: a name, which may be several words, and at least two spaces before the text.
var listLine = lazyregexp.New(`^( +\S+(?: \S+)*  +)\S`)
