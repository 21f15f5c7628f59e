package timeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/plural"
)

// The widths of the text, in columns.
const (
	minWidth     = 60
	defaultWidth = 100
	maxLabel     = 38
)

// glyphs are the characters of a part in text.
var glyphs = map[Kind]rune{Checking: '·', Writing: '▒', Waiting: '█'}

// Text formats the run as text of at most width columns. 0 means 100.
func (r *Run) Text(width int) string {
	if width == 0 {
		width = defaultWidth
	}
	width = max(width, minWidth)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", r.Title, Seconds(r.Seconds), r.End)
	if r.On != "" {
		fmt.Fprintf(&b, "On %s.\n", r.On)
	}
	if r.Clock == "conditions" {
		b.WriteString("By the conditions' last transitions, in whole seconds.\n")
	}
	r.chart(&b, width)
	r.critical(&b, width)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "Note at %s: %s\n", Seconds(n.At), n.Text)
	}
	return b.String()
}

// worthARow reports whether a step gets its own row: it took at least a hundredth of the run, changed something, or did
// not succeed.
func (r *Run) worthARow(s *Step) bool {
	return s.Seconds() >= r.Seconds/100 || s.Outcome != "done" || s.Change == "created" || s.Change == "configured" ||
		s.Change == "deleted"
}

// chart writes a row for each step that is worth one, and the number of the others.
func (r *Run) chart(b *strings.Builder, width int) {
	var rows []*Step
	label, rest, longest := 0, 0, 0.0
	for _, s := range r.Ordered() {
		if !r.worthARow(s) {
			rest++
			longest = max(longest, s.Seconds())
			continue
		}
		rows = append(rows, s)
		label = max(label, min(utf8.RuneCountInString(s.ID), maxLabel))
	}
	const times = 9
	bars := max(10, width-label-times-4)
	if len(rows) > 0 {
		fmt.Fprintf(b, "\n  %-*s  %s%*s\n", label, "STEP", pad("0 s", Seconds(r.Seconds), bars), times, "TIME")
	}
	for _, s := range rows {
		mark := " "
		if s.Critical {
			mark = "*"
		}
		fmt.Fprintf(b, "%s %-*s  %s%*s%s\n", mark, label, ellipsized(s.ID, maxLabel), r.bar(s, bars), times,
			Seconds(s.Seconds()), outcomeText(s))
	}
	if rest > 0 {
		fmt.Fprintf(b, "  %s left out: none took more than %s.\n", plural.Count(rest, "step"), Seconds(longest))
	}
	if len(rows) > 0 {
		b.WriteString("  · hcctl checks  ▒ hcctl writes  █ waits for the cluster  * critical path\n")
	}
}

// outcomeText returns the outcome of a step that did not succeed, or "".
func outcomeText(s *Step) string {
	if s.Outcome == "done" {
		return ""
	}
	return "  " + s.Outcome
}

// pad puts two texts at the ends of a line.
func pad(left, right string, width int) string {
	return left + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(left)-utf8.RuneCountInString(right))) + right
}

// bar draws a step on the time axis of the run. A part shorter than a cell gets a cell if no other part has it.
func (r *Run) bar(s *Step, width int) string {
	cells := []rune(strings.Repeat(" ", width))
	cell := func(at float64) int {
		if r.Seconds <= 0 {
			return 0
		}
		return min(int(at/r.Seconds*float64(width)), width-1)
	}
	for _, p := range s.Parts {
		from, to := cell(p.From), cell(p.To)
		for i := from; i <= to; i++ {
			if i == to && i != from && cells[i] != ' ' {
				continue
			}
			cells[i] = glyphs[p.Kind]
		}
	}
	if len(s.Parts) == 0 {
		cells[cell(s.From)] = '·'
	}
	return string(cells)
}

// critical writes what the steps of the critical path waited for.
func (r *Run) critical(b *strings.Builder, width int) {
	path, short := r.CriticalPath(), 0
	if len(path) == 0 {
		return
	}
	fmt.Fprintf(b, "\nThe critical path, which the end of the run waited for:\n")
	for _, s := range path {
		if s.Seconds() < r.Seconds/100 && s.Outcome == "done" {
			short++
			continue
		}
		fmt.Fprintf(b, "  %s  %s to %s, %s\n", s.ID, Seconds(s.From), Seconds(s.To), Seconds(s.Seconds()))
		parts := s.Longest()
		for i, p := range parts {
			if i == 3 {
				fmt.Fprintf(b, "           and %s\n", plural.Count(len(parts)-i, "shorter wait"))
				break
			}
			wrapped(b, fmt.Sprintf("  %7s  ", Seconds(p.Seconds())), p.words(), width)
		}
		reported := func(p Part) bool { return p.For == s.Last }
		if s.Last != "" && (len(parts) == 0 || s.Outcome == NotEnded && !slices.ContainsFunc(parts, reported)) {
			wrapped(b, strings.Repeat(" ", 11), s.Last, width)
		}
	}
	if short > 0 {
		fmt.Fprintf(b, "  %s of it left out: each took less than a hundredth of the run.\n", plural.Count(short, "step"))
	}
}

// wrapped writes a text after a heading, in lines of at most width columns.
func wrapped(b *strings.Builder, heading, text string, width int) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(heading))
	line := heading
	for _, word := range strings.Fields(text) {
		if line != heading && line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != heading && line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}

// words returns what the part waited for: the reason, then the object.
func (p Part) words() string {
	words := p.For
	if words == "" {
		words = "no reason given"
	}
	if p.Object != "" {
		words += " (" + p.Object + ")"
	}
	return words
}

// Seconds formats a time in seconds: with tenths below ten seconds, then in whole seconds, minutes and hours.
func Seconds(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 119.5:
		return fmt.Sprintf("%.0f s", s)
	case s < 5999.5:
		whole := int(s + 0.5)
		return fmt.Sprintf("%dm %02ds", whole/60, whole%60)
	}
	minutes := int(s/60 + 0.5)
	return fmt.Sprintf("%dh %02dm", minutes/60, minutes%60)
}

// ellipsized shortens a text in its middle to at most limit characters.
func ellipsized(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	r := []rune(text)
	head := limit / 2
	return string(r[:head]) + "…" + string(r[len(r)-(limit-head-1):])
}
