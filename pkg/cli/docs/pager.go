package docs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/program"
)

// lessOptions are the options for less unless LESS is set, as in git and gh: less ends at once if the page fits,
// and leaves the page on the screen.
const lessOptions = "FRX"

// pagerWords returns the words of the user's pager: HCCTL_PAGER, else PAGER, else less. It returns none if the
// variable is cat. No shell interprets the words.
func pagerWords(getenv func(string) string) []string {
	words := []string{"less"}
	for _, variable := range []string{"HCCTL_PAGER", "PAGER"} {
		if found := strings.Fields(getenv(variable)); len(found) > 0 {
			words = found
			break
		}
	}
	if words[0] == "cat" {
		return nil
	}
	return words
}

// Show writes a page. On a terminal it is wrapped to the width and goes through the user's pager, if any.
func Show(ctx context.Context, a *cmdutil.Factory, page string) error {
	text := []byte(page)
	if width := a.Streams.ScreenOut().Width; width > 0 {
		text = []byte(readable(page, width))
	}
	words := pagerWords(a.Getenv)
	out, isFile := sanitize.Unwrap(a.Streams.Out).(*os.File)
	if !isFile || len(words) == 0 || !a.Streams.ScreenOut().Redraw {
		return a.Streams.Document(text)
	}
	path, err := program.Find(words[0])
	if err != nil {
		return a.Streams.Document(text) // a page without a pager is better than none
	}
	sent, stop := program.Listen()
	defer stop()
	back, ok := cmdutil.TakeSignals(ctx)
	if !ok {
		return context.Canceled
	}
	defer back()
	cmd := &exec.Cmd{Path: path, Args: words, Stdin: bytes.NewReader(text), Stdout: out,
		Stderr: sanitize.Unwrap(a.Streams.Err), Env: os.Environ()}
	if a.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS="+lessOptions)
	}
	return program.Run(cmd, sent)
}
