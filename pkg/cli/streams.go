package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hcctl/hcctl/pkg/report"
)

// Streams are where hcctl reads and writes: results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// screen is what the progress on Err can show.
func (a *app) screen() report.Screen { return report.ScreenOf(a.streams.Err, a.getenv) }

// isTerminal tells whether a person sees what is written there.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminal is where a person can be asked.
func (a *app) terminal() (*os.File, bool) {
	in, ok := a.streams.In.(*os.File)
	return in, ok && term.IsTerminal(int(in.Fd()))
}

// confirm asks on a terminal; without one, or with --yes, it takes yes for granted. An interrupt ends the asking.
func (a *app) confirm(ctx context.Context, question string) error {
	in, terminal := a.terminal()
	if a.yes || !terminal {
		return nil
	}
	_, _ = fmt.Fprintf(a.streams.Err, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an end of input is no yes
		answer <- line
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(a.streams.Err)
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return errNotConfirmed
	}
}
