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

// item matches the beginning of a list item.
var item = lazyregexp.New(`^ *([-*]|\d+\.) `)

// readable renders a page for a terminal of a width. Links become their text with the command that prints their
// target, paragraphs are wrapped, and tables have columns. Code blocks stay as they are.
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

// table renders a Markdown table as columns, with a line below its header.
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

// columns renders rows as columns. If they are wider than the terminal, it folds the widest columns. If those
// would become too narrow, it calls records.
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

// columnGap is the number of spaces between columns. maxFolds is the maximum width of three or more columns, in
// widths of the terminal, that are still folded.
const (
	columnGap = 2
	maxFolds  = 3
)

// records renders each row as its first cell, with the other cells below it. Each cell follows the heading of
// its column, if there are headings.
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

// writeRow writes the cells of a row as columns, in as many lines as the longest cell needs.
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

// withoutLinks replaces links by their text and the command or address of their target.
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
