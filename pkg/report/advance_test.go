package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestAdvance: a line for each tick without redraw, and a row of the live display with it.
func TestAdvance(t *testing.T) {
	var out bytes.Buffer
	ticks := make(chan time.Time)
	end := advance(NewProgress(&out, Screen{}), func() string { return "3 files" }, &time.Ticker{C: ticks})
	for range 2 {
		ticks <- time.Time{}
	}
	end()
	if got := strings.Count(out.String(), "3 files\n"); got != 2 {
		t.Errorf("%d lines: %q", got, out.String())
	}

	l := newManualLive(&out, Screen{Redraw: true, Width: 80})
	Advance(l, func() string { return "3 files" })()
	if rows := l.rows(); len(rows) != 1 || rows[0] != "3 files" {
		t.Errorf("rows %q", rows)
	}
}
