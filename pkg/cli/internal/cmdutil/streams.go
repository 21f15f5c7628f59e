package cmdutil

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/report"
)

// Streams are hcctl's input and output: results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Guarded returns streams whose output cannot control a terminal.
func (s Streams) Guarded() Streams {
	return Streams{In: s.In, Out: sanitize.Guard(s.Out), Err: sanitize.Guard(s.Err)}
}

// Screen says what the progress on Err can show.
func (a *Factory) Screen() report.Screen { return report.ScreenOf(a.Streams.Err, a.Getenv) }

// Say writes text for a person, formatted by Textf.
func Say(w io.Writer, format string, args ...any) error {
	_, err := io.WriteString(w, redact.Message(string(Textf(format, args...))))
	return err
}

// Tell is Say without an error.
func Tell(w io.Writer, format string, args ...any) { _ = Say(w, format, args...) }

// Document writes a document as it is. The caller has made it safe for a terminal.
func (a *Factory) Document(data []byte) error {
	_, err := a.Streams.Out.Write(data)
	return err
}

// IsTerminal reports whether the writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := sanitize.Unwrap(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Terminal returns the terminal on which a person can be asked.
func (a *Factory) Terminal() (*os.File, bool) {
	in, ok := a.Streams.In.(*os.File)
	return in, ok && term.IsTerminal(int(in.Fd()))
}

// Asks tells whether Confirm asks a person.
func (a *Factory) Asks() bool {
	_, terminal := a.Terminal()
	return terminal && !a.Yes
}

// Confirm asks on a terminal. Without one, or with --yes, the answer is yes; an interrupt ends it.
func (a *Factory) Confirm(ctx context.Context, question Text) error {
	in, _ := a.Terminal()
	if !a.Asks() {
		return nil
	}
	Tell(a.Streams.Err, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an end of input is no yes
		answer <- line
	}()
	select {
	case <-ctx.Done():
		Tell(a.Streams.Err, "\n")
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return errNotConfirmed
	}
}
