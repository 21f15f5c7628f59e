package report

import (
	"io"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// Board is a text on a terminal that can be replaced: only changed lines are rewritten. It is a Progress that shows
// notes above the text. Text that does not fit on the screen is cut, because lines that scroll off cannot be rewritten.
type Board struct {
	mu sync.Mutex
	block
	paint paint
	last  []string
}

var _ Progress = (*Board)(nil)

// NewBoard returns an empty board. The screen must allow Redraw.
func NewBoard(w io.Writer, s Screen) *Board {
	return &Board{block: newBlock(w, s), paint: paint{s.Colour}}
}

// Show replaces the text.
func (b *Board) Show(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	b.draw(nil)
}

// Note implements Progress.
func (b *Board) Note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw([]string{b.paint.yellow(" ! ") + sanitize.Value(redact.Secrets(text))})
}

// Observe implements Progress. A board has no steps.
func (*Board) Observe(step.Event) {}

// Close implements Progress. The text stays.
func (*Board) Close() {}

// draw writes the notes and the part of the text that fits.
func (b *Board) draw(notes []string) {
	b.measure()
	text := b.last
	if limit := b.height - 1; b.height > 1 && len(text) > limit {
		text = append(text[:limit-1:limit-1], "… (the screen is too small for the rest)")
	}
	rows := make([]string, 0, len(text))
	for _, row := range text {
		if plain := uncoloured(row); cells(plain) >= b.width {
			row = cutEnd(plain, b.width-1)
		}
		rows = append(rows, row)
	}
	b.write(notes, rows)
}
