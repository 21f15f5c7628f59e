package docs

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
)

var linkWithTarget = lazyregexp.New(`\[([^\]]*)\]\(([^)]*)\)`)

// readable is a page for a terminal of a width: links are what they say, with the command that prints the page they
// lead to, and sentences are broken between words. Commands and tables keep their lines.
func readable(text string, width int) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced {
			line = withoutLinks(line)
		}
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if fenced || indent >= 4 || strings.HasPrefix(body, "|") || utf8.RuneCountInString(line) <= width {
			b.WriteString(line + "\n")
			continue
		}
		if strings.HasPrefix(body, "- ") {
			indent += 2
		}
		row := line[:len(line)-len(body)]
		for _, word := range strings.Fields(body) {
			if n := utf8.RuneCountInString(row); n > indent && n+1+utf8.RuneCountInString(word) > width {
				b.WriteString(row + "\n")
				row = strings.Repeat(" ", indent)
			}
			if strings.TrimSpace(row) != "" {
				row += " "
			}
			row += word
		}
		b.WriteString(row + "\n")
	}
	return b.String()
}

// withoutLinks replaces links by their texts, and by how to get to where they lead.
func withoutLinks(line string) string {
	return linkWithTarget.ReplaceAllStringFunc(line, func(link string) string {
		m := linkWithTarget.FindStringSubmatch(link)
		target, _, _ := strings.Cut(m[2], "#")
		name, isPage := strings.CutSuffix(path.Base(target), ".md")
		switch {
		case strings.HasPrefix(target, "https://"):
			return m[1] + " (" + target + ")"
		case isPage && !strings.Contains(m[1], "hcctl "):
			return m[1] + " (" + hint.Run("docs", name).Text().String() + ")"
		}
		return m[1]
	})
}
