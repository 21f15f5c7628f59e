package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/printable"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/report"
)

// Streams are where hcctl reads and writes: results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// guarded are the streams with a guard before each writer: whatever is written, a terminal obeys nothing of it.
func (s Streams) guarded() Streams {
	return Streams{In: s.In, Out: printable.Guard(s.Out), Err: printable.Guard(s.Err)}
}

// screen is what the progress on Err can show.
func (a *app) screen() report.Screen { return report.ScreenOf(a.streams.Err, a.getenv) }

// say writes words for a person, put together as textf does.
func say(w io.Writer, format string, args ...any) error {
	_, err := io.WriteString(w, redact.Message(string(textf(format, args...))))
	return err
}

// tell says what is worth no error if nobody hears it.
func tell(w io.Writer, format string, args ...any) { _ = say(w, format, args...) }

// document writes a document as it is, such as a manifest that has been made fit for a terminal already.
func (a *app) document(data []byte) error {
	_, err := a.streams.Out.Write(data)
	return err
}

// isTerminal tells whether a person sees what is written there.
func isTerminal(w io.Writer) bool {
	f, ok := printable.Unwrap(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminal is where a person can be asked.
func (a *app) terminal() (*os.File, bool) {
	in, ok := a.streams.In.(*os.File)
	return in, ok && term.IsTerminal(int(in.Fd()))
}

// confirm asks on a terminal; without one, or with --yes, it takes yes for granted. An interrupt ends the asking.
func (a *app) confirm(ctx context.Context, question text) error {
	in, terminal := a.terminal()
	if a.yes || !terminal {
		return nil
	}
	tell(a.streams.Err, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an end of input is no yes
		answer <- line
	}()
	select {
	case <-ctx.Done():
		tell(a.streams.Err, "\n")
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return errNotConfirmed
	}
}
