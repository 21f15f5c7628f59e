package cmdutil

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/report"
)

// Streams are hcctl's input and output: results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Colour is --color: auto, always or never. Empty means auto.
	Colour string
	// Verbosity is the number of -v flags.
	Verbosity int
	getenv    func(string) string
}

// Guarded returns streams whose output cannot control a terminal.
func (s Streams) Guarded() Streams {
	s.Out, s.Err = sanitize.Guard(s.Out), sanitize.Guard(s.Err)
	return s
}

// Screen returns what Err can show of the progress.
func (s *Streams) Screen() report.Screen { return screenOf(s.Err, s) }

// ScreenOut returns what Out can show of the results.
func (s *Streams) ScreenOut() report.Screen { return screenOf(s.Out, s) }

// Values of --color.
const (
	ColourAuto   = "auto"
	ColourAlways = "always"
	ColourNever  = "never"
)

// screenOf returns the screen of a writer, with the colours that --color selects. Auto colours a terminal,
// unless NO_COLOR is set.
func screenOf(w io.Writer, of *Streams) report.Screen {
	s := report.ScreenOf(w, of.getenv)
	s.All = of.Verbosity > 0
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

// CheckColour returns a usage error for an unknown value of --color.
func (s *Streams) CheckColour(cmd *cobra.Command) error {
	switch s.Colour {
	case "", ColourAuto, ColourAlways, ColourNever:
		return nil
	}
	return Misuse(cmd, fmt.Errorf("--color %q: it takes auto, always or never", s.Colour))
}

// Say writes text for a user, formatted by Textf.
func Say(w io.Writer, format string, args ...any) error {
	_, err := io.WriteString(w, redact.Message(string(Textf(format, args...))))
	return err
}

// Tell is Say without the error.
func Tell(w io.Writer, format string, args ...any) { _ = Say(w, format, args...) }

// Document writes a document unchanged. The caller has made it safe for a terminal.
func (s *Streams) Document(data []byte) error {
	_, err := s.Out.Write(data)
	return err
}

// IsTerminal reports whether the writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := sanitize.Unwrap(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Terminal returns the terminal on which the user can be asked. It returns false if In is not a terminal.
func (s *Streams) Terminal() (*os.File, bool) {
	in, ok := s.In.(*os.File)
	return in, ok && term.IsTerminal(int(in.Fd()))
}

// Notices prints what a user should know besides the results: warnings, and outages of the API server.
type Notices struct {
	streams *Streams
	call    *Call
	// shown holds the progress of the current run, which prints notes; nil between runs.
	shown struct {
		sync.Mutex
		progress report.Progress
		// target is the cluster of the command. outage is why it does not answer, or "" while it does.
		target *Target
		outage string
	}
}

// Away reports the start of an outage of the API server, and back its end.
func (n *Notices) Away(err error) {
	n.shown.Lock()
	n.shown.outage = kube.Explain(err)
	n.shown.Unlock()
	n.note(kube.Explain(err) + "; waiting for it")
}

func (n *Notices) back(after time.Duration) {
	n.shown.Lock()
	n.shown.outage = ""
	n.shown.Unlock()
	n.note(fmt.Sprintf("the API server answers again, after %s", after.Round(time.Second)))
}

// waitedFor returns what a command waits for before its run.
func (n *Notices) waitedFor() string {
	n.shown.Lock()
	defer n.shown.Unlock()
	switch {
	case n.shown.target == nil:
		return "its input"
	case n.shown.outage == "":
		return "an answer of " + n.shown.target.String()
	}
	return n.shown.target.String() + ": " + n.shown.outage
}

// note prints a message about the run as a whole, above any progress display.
func (n *Notices) note(text string) {
	n.shown.Lock()
	defer n.shown.Unlock()
	if n.shown.progress == nil {
		Tell(n.streams.Err, "%s\n", UpperFirst(text))
		return
	}
	n.shown.progress.Note(UpperFirst(text))
}

// Show makes progress print the notes from now on; nil ends that.
func (n *Notices) Show(progress report.Progress) {
	n.shown.Lock()
	defer n.shown.Unlock()
	n.shown.progress = progress
}

// Aside calls talk, which writes to the terminal, while the progress display is suspended.
func (n *Notices) Aside(talk func()) {
	n.shown.Lock()
	progress := n.shown.progress
	n.shown.Unlock()
	report.Aside(progress, talk)
}

// Warn prints a problem that does not stop the command.
func (n *Notices) Warn(line string, next hint.Text) {
	Tell(n.streams.Err, "Warning: %s\n", line)
	if !next.IsZero() {
		Tell(n.streams.Err, "  → %s\n", n.call.Render(next))
	}
}

// WarnDeprecated prints a line on stderr for the command and each given flag that is deprecated.
func WarnDeprecated(n *Notices, cmd *cobra.Command) {
	for c := cmd; c != nil; c = c.Parent() {
		if instead := Deprecation(c.Annotations); instead != "" {
			Tell(n.streams.Err, "Warning: %s is deprecated and will be removed: %s\n", c.CommandPath(),
				AsCalled(n.call, cmd, instead))
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if instead := FlagDeprecation(f); instead != "" {
			Tell(n.streams.Err, "Warning: --%s is deprecated and will be removed: %s\n", f.Name, AsCalled(n.call, cmd, instead))
		}
	})
}
