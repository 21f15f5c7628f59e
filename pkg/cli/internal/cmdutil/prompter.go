package cmdutil

import (
	"context"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/pkg/cli/internal/prompt"
)

// Prompter asks the user at the terminal.
type Prompter struct {
	streams *Streams
	files   *Files
	limit   *Limit
	// Yes is --yes: nothing is asked.
	Yes bool
}

// Caller returns who called this command.
func (p *Prompter) Caller() consent.Caller {
	_, terminal := p.streams.Terminal()
	return consent.Caller{Terminal: terminal, Yes: p.Yes}
}

// Asks reports whether Consent asks a user.
func (p *Prompter) Asks() bool { return p.Caller().Decide(consent.Request{}) == consent.Asks }

// Confirm is Consent for what is created or changed.
func (p *Prompter) Confirm(ctx context.Context, question Text) error {
	return p.Consent(ctx, Question{Ask: question})
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
func (p *Prompter) Consent(ctx context.Context, q Question) error {
	for _, note := range p.files.read {
		Tell(p.streams.Err, "%s\n", note)
	}
	switch p.Caller().Decide(consent.Request{Destroys: q.Destroys}) {
	case consent.Asks:
		return p.Ask(ctx, q)
	case consent.NeedsYes:
		return &consent.MissingFlagError{Command: q.Command}
	case consent.GoesOn, consent.NeedsDisks:
	}
	return nil
}

// Ask asks the user at the terminal. An interrupt ends it.
func (p *Prompter) Ask(ctx context.Context, q Question) error {
	in, _ := p.streams.Terminal()
	_, resume := p.limit.Pause()
	defer resume()
	for _, line := range q.Details {
		Tell(p.streams.Err, "%s\n", line)
	}
	// The empty line ends one that a person was typing.
	err := q.Question.Ask(ctx, in, func() { Tell(p.streams.Err, "\n%s %s", q.Ask, Text(q.Answers())) })
	if ctx.Err() != nil {
		Tell(p.streams.Err, "\n")
	}
	return err
}

// NeedsConsent fails if a command that destroys something can neither ask nor has --yes, except in a dry run. Commands
// call it before they talk to the cluster.
func (p *Prompter) NeedsConsent(command string, dryRun bool) error {
	if !dryRun && p.Caller().Decide(consent.Request{Destroys: true}) == consent.NeedsYes {
		return &consent.MissingFlagError{Command: command}
	}
	return nil
}
