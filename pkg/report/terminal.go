package report

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Screen describes the abilities of a writer.
type Screen struct {
	// Redraw is set if written lines may be drawn again.
	Redraw bool
	// Colour is set if ANSI colours are allowed.
	Colour bool
	// Width is the number of columns, 0 if unknown.
	Width int
	// All is set to write a line for every step instead of counting those that are well (-v).
	All bool
	// Size returns the current width and height; nil if unknown.
	Size func() (width, height int)
}

// ScreenOf returns the Screen of a writer. Colour and Redraw need a terminal with escape sequences and a TERM other
// than dumb; Colour also needs NO_COLOR to be unset, Redraw CI.
func ScreenOf(w io.Writer, getenv func(string) string) Screen {
	f, ok := sanitize.Unwrap(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Screen{}
	}
	s, ok := screenFor(func() bool { return supportsEscapes(f) }, getenv)
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

// screenFor returns the abilities of a terminal without its size; ok is false if it shows plain text only.
// supportsEscapes is called last, because it changes a Windows console.
func screenFor(supportsEscapes func() bool, getenv func(string) string) (s Screen, ok bool) {
	if getenv("TERM") == "dumb" || !supportsEscapes() {
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
