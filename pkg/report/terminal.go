package report

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Screen says what a writer can show.
type Screen struct {
	// Redraw is whether written lines may be drawn again.
	Redraw bool
	// Colour is whether ANSI colours are allowed.
	Colour bool
	// Width is the number of columns, 0 if unknown.
	Width int
	// All is whether what is well gets lines, too, instead of being counted (-v).
	All bool
	// Size returns the current width and height; nil if unknown.
	Size func() (width, height int)
}

// ScreenOf decides on colour and redraw: the writer is a terminal that obeys escape sequences, TERM is not dumb,
// NO_COLOR is not set (colour only), CI is not set (redraw only).
func ScreenOf(w io.Writer, getenv func(string) string) Screen {
	f, ok := sanitize.Unwrap(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Screen{}
	}
	s, ok := screenFor(func() bool { return obeysEscapes(f) }, getenv)
	if !ok {
		return Screen{}
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.Width = width
		s.Size = func() (int, int) {
			width, height, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 0, 0
			}
			return width, height
		}
	}
	return s
}

// screenFor is what a terminal can show, without its size; ok is false if it shows plain text only. The terminal is
// asked last, because asking changes a console of Windows.
func screenFor(obeysEscapes func() bool, getenv func(string) string) (s Screen, ok bool) {
	if getenv("TERM") == "dumb" || !obeysEscapes() {
		return Screen{}, false
	}
	return Screen{Redraw: getenv("CI") == "", Colour: getenv("NO_COLOR") == ""}, true
}

// paint adds colours to text.
type paint struct{ on bool }

func (p paint) green(s string) string  { return p.wrap("32", s) }
func (p paint) red(s string) string    { return p.wrap("31", s) }
func (p paint) yellow(s string) string { return p.wrap("33", s) }
func (p paint) faint(s string) string  { return p.wrap("2", s) }
func (p paint) bold(s string) string   { return p.wrap("1", s) }

func (p paint) wrap(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
