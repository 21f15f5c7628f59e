package cmdutil

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/prompt"
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
func (a *Factory) Screen() report.Screen { return screenOf(a.Streams.Err, a) }

// ScreenOut says what results on Out can show.
func (a *Factory) ScreenOut() report.Screen { return screenOf(a.Streams.Out, a) }

// The values of --color.
const (
	ColourAuto   = "auto"
	ColourAlways = "always"
	ColourNever  = "never"
)

// screenOf is the screen of the writer, with the colours that --color says. Auto colours a terminal, unless NO_COLOR
// is set.
func screenOf(w io.Writer, a *Factory) report.Screen {
	s := report.ScreenOf(w, a.Getenv)
	switch a.Colour {
	case ColourAlways:
		s.Colour = true
	case ColourNever:
		s.Colour = false
	}
	return s
}

// BindColour adds --color.
func (a *Factory) BindColour(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&a.Colour, "color", ColourAuto, "when to colour what is printed for people: auto, "+
		"always or never; auto means on a terminal, unless NO_COLOR is set")
	Complete(cmd, "color", ColourAuto, ColourAlways, ColourNever)
}

// CheckColour refuses other values of --color.
func (a *Factory) CheckColour(cmd *cobra.Command) error {
	switch a.Colour {
	case "", ColourAuto, ColourAlways, ColourNever:
		return nil
	}
	return Misuse(cmd, fmt.Errorf("--color %q: it takes auto, always or never", a.Colour))
}

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

// Caller returns who called this command.
func (a *Factory) Caller() consent.Caller {
	_, terminal := a.Terminal()
	return consent.Caller{Terminal: terminal, Yes: a.Yes}
}

// Asks reports whether Consent asks a user.
func (a *Factory) Asks() bool { return a.Caller().Decide(consent.Request{}) == consent.Asks }

// Confirm is Consent for what is created or changed.
func (a *Factory) Confirm(ctx context.Context, question Text) error {
	return a.Consent(ctx, Question{Ask: question})
}

// Question is what a user is asked before a command goes on.
type Question struct {
	prompt.Question
	// Command is the command that asks, such as "delete cluster". Destroys is whether it destroys something.
	Command  string
	Destroys bool
	// Details are the lines above the question, such as what is lost. Ask is the question, on one line.
	Details []Text
	Ask     Text
}

// Destruction returns the question of a command that destroys something. Without a terminal the command needs --yes.
func Destruction(command string, ask Text, details ...Text) Question {
	return Question{Command: command, Destroys: true, Details: details, Ask: ask}
}

// Consent asks the user if the command has to ask, and fails if it must not go on.
func (a *Factory) Consent(ctx context.Context, q Question) error {
	for _, note := range a.filesRead {
		Tell(a.Streams.Err, "%s\n", note)
	}
	switch a.Caller().Decide(consent.Request{Destroys: q.Destroys}) {
	case consent.Asks:
		return a.Ask(ctx, q)
	case consent.NeedsYes:
		return &consent.MissingFlagError{Command: q.Command}
	case consent.GoesOn, consent.NeedsDisks:
	}
	return nil
}

// Ask asks the user at the terminal. An interrupt ends it.
func (a *Factory) Ask(ctx context.Context, q Question) error {
	in, _ := a.Terminal()
	for _, line := range q.Details {
		Tell(a.Streams.Err, "%s\n", line)
	}
	// The empty line ends one that a person was typing.
	err := q.Question.Ask(ctx, in, func() { Tell(a.Streams.Err, "\n%s %s", q.Ask, Text(q.Answers())) })
	if ctx.Err() != nil {
		Tell(a.Streams.Err, "\n")
	}
	return err
}

// NeedsConsent fails if a command that destroys something can neither ask nor has --yes, except in a dry run. Commands
// call it before they talk to the cluster.
func (a *Factory) NeedsConsent(command string, dryRun bool) error {
	if !dryRun && a.Caller().Decide(consent.Request{Destroys: true}) == consent.NeedsYes {
		return &consent.MissingFlagError{Command: command}
	}
	return nil
}
