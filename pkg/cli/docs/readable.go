package docs

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/report"
)

var linkWithTarget = lazyregexp.New(`\[([^\]]*)\]\(([^)]*)\)`)

// item is what begins an item of a list.
var item = lazyregexp.New(`^ *([-*]|\d+\.) `)

// readable is a page for a terminal of a width: links are what they say, with the command that prints the page they
// lead to, paragraphs are broken between words, and tables have columns. Commands keep their lines.
func readable(text string, width int) string {
	var b strings.Builder
	var rows, paragraph []string
	hanging := 0
	flush := func() {
		b.WriteString(table(rows, width))
		for i, row := range report.Wrap(withoutLinks(strings.Join(paragraph, " ")), width-hanging) {
			if paragraph != nil {
				b.WriteString(strings.Repeat(" ", hanging*min(i, 1)) + row + "\n")
			}
		}
		rows, paragraph, hanging = nil, nil, 0
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		body := strings.TrimLeft(line, " ")
		begin := item.FindString(line)
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence || fenced:
			flush()
			b.WriteString(line + "\n")
			fenced = fenced != fence
		case strings.HasPrefix(line, "|"):
			if rows == nil {
				flush()
			}
			rows = append(rows, withoutLinks(line))
		case body == "" || paragraph == nil && begin == "" && len(line)-len(body) >= 4:
			flush()
			b.WriteString(line + "\n")
		case strings.HasPrefix(line, "#"):
			flush()
			paragraph = []string{line}
			flush()
		case begin != "":
			flush()
			hanging = len(begin)
			paragraph = []string{strings.TrimRight(line, " ")}
		default:
			b.WriteString(table(rows, width))
			rows, paragraph = nil, append(paragraph, strings.TrimSpace(body))
		}
	}
	flush()
	return b.String()
}

// table returns a Markdown table as columns, with a rule below its head.
func table(lines []string, width int) string {
	var rows [][]string
	for i, line := range lines {
		if cells := cellsOf(line); i != 1 && strings.Join(cells, "") != "" { // the second line separates the head
			rows = append(rows, cells)
		}
	}
	ruled := len(lines) > 0 && len(rows) == len(lines)-1
	return columns(rows, width, ruled)
}

// columns returns rows side by side. Where they are wider than the terminal, the widest columns are folded; a row that
// would be folded too narrowly has a line for each of its cells.
func columns(rows [][]string, width int, ruled bool) string {
	var widths, words []int
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths, words = append(widths, 0), append(words, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			for word := range strings.FieldsSeq(cell) {
				words[i] = max(words[i], utf8.RuneCountInString(word))
			}
		}
	}
	gaps := columnGap * (len(widths) - 1)
	if gaps+sum(words) > width || len(widths) > 2 && gaps+sum(widths) > maxFolds*width {
		return records(rows, width, ruled)
	}
	for total := gaps + sum(widths); total > width; total-- {
		widest := -1
		for i, w := range widths {
			if w > words[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		widths[widest]--
	}
	var b strings.Builder
	for i, cells := range rows {
		writeRow(&b, cells, widths)
		if i > 0 || !ruled {
			continue
		}
		var rule []string
		for _, w := range widths {
			rule = append(rule, strings.Repeat("-", w))
		}
		writeRow(&b, rule, widths)
	}
	return b.String()
}

// columnGap is the space between columns. maxFolds is how many times as wide as the terminal three columns or more may
// be to be folded.
const (
	columnGap = 2
	maxFolds  = 3
)

// records returns each row as its first cell, and below it the others with the heads of their columns, if it has heads.
func records(rows [][]string, width int, headed bool) string {
	const indent = 4
	var b strings.Builder
	for i, cells := range rows {
		if headed && i == 0 {
			continue
		}
		for j, cell := range cells {
			if headed && j > 0 && rows[0][min(j, len(rows[0])-1)] != "" && cell != "" {
				cell = rows[0][min(j, len(rows[0])-1)] + ": " + cell
			}
			for k, line := range report.Wrap(cell, width-indent) {
				if line != "" {
					b.WriteString(strings.Repeat(" ", indent*min(1, j+k)) + line + "\n")
				}
			}
		}
	}
	return b.String()
}

// writeRow writes the cells of a row side by side, in as many lines as the longest takes.
func writeRow(b *strings.Builder, cells []string, widths []int) {
	parts, height := make([][]string, len(cells)), 1
	for i, cell := range cells {
		parts[i] = report.Wrap(cell, widths[i])
		height = max(height, len(parts[i]))
	}
	for y := range height {
		row := ""
		for i := range cells {
			text := ""
			if y < len(parts[i]) {
				text = parts[i][y]
			}
			row += text + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)+columnGap)
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
}

// cellsOf returns the cells of a row of a Markdown table.
func cellsOf(line string) []string {
	const escaped = "\x00"
	line = strings.Trim(strings.ReplaceAll(strings.TrimSpace(line), `\|`, escaped), "|")
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), escaped, "|")
	}
	return cells
}

func sum(all []int) int {
	n := 0
	for _, one := range all {
		n += one
	}
	return n
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
		case isPage && m[1] == path.Base(target):
			return hint.Run("docs", name).Text().String()
		case isPage && !strings.Contains(m[1], "hcctl "):
			return m[1] + " (" + hint.Run("docs", name).Text().String() + ")"
		}
		return m[1]
	})
}
