package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// virtual is a terminal of a size: package vt obeys what is written to it, wraps and scrolls. It is a test's alone; see
// "How the screen is tested" in docs/dev/testing.md for the choice.
type virtual struct {
	t             testing.TB
	screen        *vt.Emulator
	width, height int
	// written counts the bytes that the display has written.
	written int
}

func newVirtual(t testing.TB, width, height int) *virtual {
	t.Helper()
	v := &virtual{t: t, screen: vt.NewEmulator(width, height), width: width, height: height}
	t.Cleanup(func() { _ = v.screen.Close() })
	return v
}

// Write is what a terminal does with what a program writes: it puts the cursor to the beginning of a new line.
func (v *virtual) Write(p []byte) (int, error) {
	v.written += len(p)
	_, err := v.screen.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

// raw writes what comes from a pseudo terminal, which has put the cursor already.
func (v *virtual) raw(p []byte) {
	if _, err := v.screen.Write(p); err != nil {
		v.t.Error(err)
	}
}

// lines returns all lines from the first that was written to the cursor's, those that scrolled off the screen too,
// without spaces at their ends.
func (v *virtual) lines() []string {
	var all []string
	read := func(rows int, cell func(x, y int) string) {
		for y := range rows {
			var b strings.Builder
			for x := range v.width {
				b.WriteString(cell(x, y))
			}
			all = append(all, strings.TrimRight(b.String(), " "))
		}
	}
	read(v.screen.ScrollbackLen(), func(x, y int) string {
		if c := v.screen.ScrollbackCellAt(x, y); c != nil {
			return c.Content
		}
		return ""
	})
	read(v.screen.CursorPosition().Y, func(x, y int) string {
		if c := v.screen.CellAt(x, y); c != nil {
			return c.Content
		}
		return ""
	})
	return all
}

// below returns what stands on the cursor's line and below it.
func (v *virtual) below() string {
	var b strings.Builder
	for y := v.screen.CursorPosition().Y; y < v.height; y++ {
		for x := range v.width {
			if c := v.screen.CellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// shown returns the lines that are on the screen.
func (v *virtual) shown() string {
	lines := v.lines()
	return strings.Join(lines[min(v.screen.ScrollbackLen(), len(lines)):], "\n") + "\n"
}

// resize changes the width as most terminals do: they wrap the lines anew. Package vt cuts them instead, so they are
// written once more.
func (v *virtual) resize(width int) {
	lines := v.lines()
	_ = v.screen.Close()
	v.screen, v.width = vt.NewEmulator(width, v.height), width
	v.raw([]byte(strings.Join(append(lines, ""), "\r\n")))
}
