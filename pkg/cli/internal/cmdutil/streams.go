package cmdutil

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/report"
)

// Streams are hcctl's input and output: results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Colour is --color: auto, always or never. Empty means auto.
	Colour string
	getenv func(string) string
}

// Guarded returns streams whose output cannot control a terminal.
func (s Streams) Guarded() Streams {
	s.Out, s.Err = sanitize.Guard(s.Out), sanitize.Guard(s.Err)
	return s
}

// Screen says what the progress on Err can show.
func (s *Streams) Screen() report.Screen { return screenOf(s.Err, s) }

// ScreenOut says what results on Out can show.
func (s *Streams) ScreenOut() report.Screen { return screenOf(s.Out, s) }

// The values of --color.
const (
	ColourAuto   = "auto"
	ColourAlways = "always"
	ColourNever  = "never"
)

// screenOf is the screen of the writer, with the colours that --color says. Auto colours a terminal, unless NO_COLOR
// is set.
func screenOf(w io.Writer, of *Streams) report.Screen {
	s := report.ScreenOf(w, of.getenv)
	switch of.Colour {
	case ColourAlways:
		s.Colour = true
	case ColourNever:
		s.Colour = false
	}
	return s
}

// BindColour adds --color.
func (s *Streams) BindColour(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&s.Colour, "color", ColourAuto, "when to colour what is printed for people: auto, "+
		"always or never; auto means on a terminal, unless NO_COLOR is set")
	Complete(cmd, "color", ColourAuto, ColourAlways, ColourNever)
}

// CheckColour refuses other values of --color.
func (s *Streams) CheckColour(cmd *cobra.Command) error {
	switch s.Colour {
	case "", ColourAuto, ColourAlways, ColourNever:
		return nil
	}
	return Misuse(cmd, fmt.Errorf("--color %q: it takes auto, always or never", s.Colour))
}

// Say writes text for a person, formatted by Textf.
func Say(w io.Writer, format string, args ...any) error {
	_, err := io.WriteString(w, redact.Message(string(Textf(format, args...))))
	return err
}

// Tell is Say without an error.
func Tell(w io.Writer, format string, args ...any) { _ = Say(w, format, args...) }

// Document writes a document as it is. The caller has made it safe for a terminal.
func (s *Streams) Document(data []byte) error {
	_, err := s.Out.Write(data)
	return err
}

// IsTerminal reports whether the writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := sanitize.Unwrap(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Terminal returns the terminal on which a person can be asked.
func (s *Streams) Terminal() (*os.File, bool) {
	in, ok := s.In.(*os.File)
	return in, ok && term.IsTerminal(int(in.Fd()))
}
