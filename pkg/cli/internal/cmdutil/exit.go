package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// The exit codes are a contract with scripts.
const (
	ExitDone        = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitMissing     = 3
	ExitTimedOut    = 4
	ExitBroken      = 5
	ExitDiffers     = 6
	ExitInterrupted = 130
)

// UsageError is a mistake in the command line.
type UsageError struct {
	Err error
	// Help is the next step, such as "hcctl create cluster --help".
	Help hint.Text
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Hint returns the next step.
func (e *UsageError) Hint() hint.Text { return e.Help }

// WithHint returns err with what a user can do, formatted as by hint.New.
func WithHint(err error, format string, args ...any) error {
	return failure.WithHint(err, hint.New(format, args...))
}

// Resumable is a failed run that the user can continue.
type Resumable struct {
	error
	Resume hint.Text
}

// WithResume returns err with how to continue, formatted as by hint.New.
func WithResume(err error, format string, args ...any) *Resumable {
	return &Resumable{error: err, Resume: hint.New(format, args...)}
}

func (e *Resumable) Unwrap() error { return e.error }

// exitError is an error with its own exit code. A silent one prints no message, because everything is printed
// already.
type exitError struct {
	error
	code   int
	silent bool
}

// WithExit returns err with its own exit code.
func WithExit(code int, err error) error { return &exitError{error: err, code: code} }

// Missing returns an error about something that does not exist (yet), with what a user can do,
// formatted as by hint.New.
func Missing(err error, format string, args ...any) error {
	return WithExit(ExitMissing, WithHint(err, format, args...))
}

// Ended returns an error that prints nothing and ends hcctl with this exit code.
func Ended(code int) error {
	return &exitError{error: fmt.Errorf("exit code %d", code), code: code, silent: true}
}

func (e *exitError) Unwrap() error        { return e.error }
func (e *exitError) Is(target error) bool { return e.silent && target == ErrFindings }

// ExitCode maps errors to exit codes. The outermost error that has an exit code decides.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	if code, ok := codeOf(err); ok {
		return code
	}
	if run, ok := step.AsRunError(err); ok {
		return outcomeCode(run.Worst())
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	return ExitError
}

func codeOf(err error) (code int, ok bool) {
	switch e := err.(type) { //nolint:errorlint // every error of the tree is visited, the outer ones first
	case *exitError:
		return e.code, true
	case *UsageError:
		return ExitUsage, true
	case *findings:
		return e.code(), true
	case *preflightError:
		return e.code(), true
	case interface{ Failure() failure.Kind }:
		return kindCode(e.Failure()), true
	case interface{ Unwrap() error }:
		return codeOf(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if code, ok := codeOf(one); ok {
				return code, true
			}
		}
	}
	return 0, false
}

func kindCode(k failure.Kind) int {
	switch k {
	case failure.Misused:
		return ExitUsage
	case failure.Missing:
		return ExitMissing
	case failure.Final:
		return ExitBroken
	case failure.Declined, failure.Other:
	}
	return ExitError
}

func outcomeCode(o step.Outcome) int {
	switch o {
	case step.OutcomeInterrupted:
		return ExitInterrupted
	case step.OutcomeBroken:
		return ExitBroken
	case step.OutcomeTimedOut:
		return ExitTimedOut
	case step.OutcomeMissing:
		return ExitMissing
	case step.OutcomeFailed, step.OutcomeBlocked, step.OutcomeDone, step.OutcomeWarned:
	}
	return ExitError
}

// PrintError prints an error: what is wrong, where, what to do.
func (a *Factory) PrintError(err error) {
	w := a.Streams.Err
	if WasInterrupted(err) {
		a.printInterrupted(err)
		return
	}
	if resume, reported := reportedError(err); reported {
		Tell(w, "%s.\n", UpperFirst(a.Call.Render(resume)))
		return
	}
	if run, ok := step.AsRunError(err); ok {
		a.printRunError(run)
		var again *Resumable
		if errors.As(err, &again) {
			Tell(w, "%s.\n", UpperFirst(a.Call.Render(again.Resume)))
		}
		var early *preflightError
		if errors.As(err, &early) {
			Tell(w, "%s\n", a.Call.Render(early.next()))
		}
		return
	}
	for _, line := range sentences(err) {
		Tell(w, "Error: %s\n", line)
	}
	if next := failure.Hint(err); !next.IsZero() {
		Tell(w, "  → %s\n", a.Call.Render(next))
	}
}

// printRunError prints every step that did not succeed with its hint. It groups the steps with the same external
// cause.
func (a *Factory) printRunError(run *step.RunError) {
	w := a.Streams.Err
	Tell(w, "\n")
	blocked := 0
	reported := map[string]bool{}
	for i, r := range run.Results {
		if r.Outcome == step.OutcomeBlocked {
			blocked++
			continue
		}
		line, next := r.Line(), r.Finding.Hint
		cause := commonCause(r)
		if reported[cause] {
			continue
		}
		others := sharing(run.Results[i+1:], cause)
		if cause != "" {
			reported[cause] = true
			if r.Err != nil {
				line, next = fmt.Sprintf("%s: %s", r.Step.ID, cause), kube.Remedy(r.Err)
			}
		}
		Tell(w, "Error: %s\n", line)
		if len(others) > 0 {
			Tell(w, "  the same at %s\n", Few(others))
		}
		if !next.IsZero() {
			Tell(w, "  → %s\n", a.Call.Render(next))
		}
		if r.Step.Docs != "" && len(others) == 0 {
			Tell(w, "    %s\n", report.DocsBase+r.Step.Docs)
		}
	}
	if blocked > 0 {
		Tell(w, "Not started, because of these: %s.\n", plural.Count(blocked, "further step"))
	}
}

// commonCause returns a cause that several steps may share, such as failed authentication or a missing
// permission. It returns "" if the cause concerns only this step.
func commonCause(r step.Result) string {
	switch {
	case r.Err != nil && !kube.Remedy(r.Err).IsZero():
		return kube.Explain(r.Err)
	case r.Err == nil && r.Finding.State == step.StateUnknown && r.Finding.Final:
		return r.Finding.Message
	}
	return ""
}

// sharing returns the IDs of the steps that have this cause.
func sharing(results []step.Result, cause string) []string {
	var ids []string
	for _, r := range results {
		if cause != "" && r.Outcome != step.OutcomeBlocked && commonCause(r) == cause {
			ids = append(ids, string(r.Step.ID))
		}
	}
	return ids
}

// sentences returns the lines of an error, one for each joined error. It does not split a message at its line
// breaks.
func sentences(err error) []string {
	whole := Sentence(err)
	if !strings.Contains(whole, "\n") {
		return []string{whole}
	}
	type joined interface{ Unwrap() []error }
	var several joined
	for inner := err; inner != nil && several == nil && inner.Error() == err.Error(); inner = errors.Unwrap(inner) {
		several, _ = inner.(joined)
	}
	if several == nil {
		return []string{whole}
	}
	var all []string
	for _, one := range several.Unwrap() {
		all = append(all, sentences(one)...)
	}
	return all
}

// Sentence returns an error's text, in plain words for errors of the API server.
func Sentence(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if transport.IsTooLarge(err) {
		return kube.Explain(err)
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) || kube.IsTransient(err) {
		text, explained := strings.Join(strings.Fields(err.Error()), " "), kube.Explain(err)
		if strings.Contains(text, explained) {
			return text
		}
		return explained
	}
	return err.Error()
}

// ErrFindings marks errors whose report is printed already.
var ErrFindings = errors.New("all is said")

// findings is the outcome of a check as an error: it carries the exit code and prints nothing.
type findings struct{ run *step.RunError }

// FoundBy returns the error of a check whose findings are printed already.
func FoundBy(run *step.RunError) error { return &findings{run: run} }

func (f *findings) Error() string        { return f.run.Error() }
func (f *findings) Unwrap() error        { return f.run }
func (f *findings) Is(target error) bool { return target == ErrFindings }

// code returns 3 if something is missing or broken, even if something else is unknown. An interruption outweighs
// both.
func (f *findings) code() int {
	code := ExitError
	for _, r := range f.run.Results {
		switch r.Outcome {
		case step.OutcomeInterrupted:
			return ExitInterrupted
		case step.OutcomeMissing, step.OutcomeBroken:
			code = ExitMissing
		case step.OutcomeFailed, step.OutcomeTimedOut, step.OutcomeBlocked, step.OutcomeDone, step.OutcomeWarned:
		}
	}
	return code
}

// code returns 3 if something is missing or broken, as for check, and 1 if the state is only unknown.
func (e *preflightError) code() int {
	if run, ok := step.AsRunError(e.error); ok && run.Worst() == step.OutcomeFailed {
		return ExitError
	}
	return ExitMissing
}

// WatchEnded is the interrupt that ends --watch. It prints no message.
type WatchEnded struct{ error }

// EndWatch returns the error of a watch that ended with ctx.
func EndWatch(ctx context.Context) error { return &WatchEnded{ctx.Err()} }

// Unwrap returns the error of the context.
func (e *WatchEnded) Unwrap() error { return e.error }

// Is reports whether target is ErrFindings: the program then ends without a message.
func (e *WatchEnded) Is(target error) bool { return target == ErrFindings }
