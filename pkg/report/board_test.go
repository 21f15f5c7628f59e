package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestBoardRewritesWhatChanged looks at what is sent to the terminal.
func TestBoardRewritesWhatChanged(t *testing.T) {
	var out bytes.Buffer
	width, height := 20, 5
	b := NewBoard(&out, Screen{Redraw: true, Width: 20, Size: func() (int, int) { return width, height }})
	sent := func(show string) string {
		out.Reset()
		b.Show(show)
		return out.String()
	}
	if got := sent("one\ntwo\n"); got != "one\ntwo\n" {
		t.Errorf("at first: %q", got)
	}
	if got := sent("one\nTWO\n"); got != "\x1b[1A\rTWO\x1b[K\n" {
		t.Errorf("one line changed: %q", got)
	}
	if got := sent("one\nTWO\n"); got != "" {
		t.Errorf("nothing changed: %q", got)
	}
	if got := sent("one\n"); got != "\x1b[1A\r\x1b[J" {
		t.Errorf("shorter: %q", got)
	}
	if got := sent("\x1b[31m" + strings.Repeat("界", 12) + "\x1b[0m"); !strings.Contains(got, strings.Repeat("界", 9)+"…") {
		t.Errorf("too wide: %q", got)
	}
	if got := sent("1\n2\n3\n4\n5\n6"); !strings.HasSuffix(got, "1\x1b[K\n2\n3\n… (the screen is t…\n") {
		t.Errorf("too high: %q", got)
	}
	out.Reset()
	b.Note("the API server\x1b[2J is away")
	if got := out.String(); !strings.HasPrefix(got, "\x1b[4A\r\x1b[J ! the API server\\x1b[2J is away\n1\n2\n3\n") {
		t.Errorf("a note: %q", got)
	}
}
