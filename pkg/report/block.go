package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// block is the part of a terminal below the finished lines. It remembers the drawn rows and rewrites only changed ones.
// The cursor is always at the beginning of the line below it.
type block struct {
	w    io.Writer
	size func() (width, height int)
	// width is the number of columns. height is the number of lines, 0 if unknown: lines that scrolled off cannot be
	// rewritten.
	width, height int
	drawn         []string
}

// defaultWidth is the width of a terminal that does not report it, in columns.
const defaultWidth = 80

func newBlock(w io.Writer, s Screen) block {
	b := block{w: w, size: s.Size, width: s.Width}
	if b.width <= 0 {
		b.width = defaultWidth
	}
	return b
}

// measure reads the size of the terminal. A narrower terminal has wrapped the rows, so all their lines are erased.
func (b *block) measure() {
	if b.size == nil {
		return
	}
	width, height := b.size()
	if width <= 0 {
		return
	}
	narrower := width < b.width
	b.width, b.height = width, height
	if !narrower || len(b.drawn) == 0 {
		return
	}
	lines := 0
	for _, row := range b.drawn {
		lines += max(1, (cells(uncoloured(row))+width-1)/width)
	}
	if height > 0 {
		lines = min(lines, height-1)
	}
	b.drawn = nil
	b.put(erased(lines))
}

// write writes finished lines above the rows, and the rows that have changed.
func (b *block) write(finished, rows []string) {
	var out strings.Builder
	if len(finished) > 0 {
		out.WriteString(erased(len(b.drawn)))
		for _, line := range finished {
			out.WriteString(sanitize.Screen(line) + "\n")
		}
		b.drawn = nil
	}
	same := 0
	for same < len(rows) && same < len(b.drawn) && rows[same] == b.drawn[same] {
		same++
	}
	if up := len(b.drawn) - same; up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA\r", up)
	}
	for i := same; i < len(rows); i++ {
		if i < len(b.drawn) && rows[i] == b.drawn[i] {
			out.WriteString("\n")
			continue
		}
		out.WriteString(sanitize.Screen(rows[i]))
		if i < len(b.drawn) {
			out.WriteString("\x1b[K")
		}
		out.WriteString("\n")
	}
	if len(rows) < len(b.drawn) {
		out.WriteString("\x1b[J")
	}
	b.drawn = rows
	b.put(out.String())
}

// put writes to the terminal. No other code moves the cursor meanwhile, so it bypasses the guard of the writer.
func (b *block) put(s string) {
	if s != "" {
		_, _ = io.WriteString(sanitize.Unwrap(b.w), s)
	}
}

// erased returns the escape sequences that erase the lines above the cursor.
func erased(lines int) string {
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", lines)
}

// uncoloured returns a row without its colours.
func uncoloured(row string) string {
	for {
		before, after, found := strings.Cut(row, "\x1b[")
		if !found {
			return row
		}
		_, after, _ = strings.Cut(after, "m")
		row = before + after
	}
}
