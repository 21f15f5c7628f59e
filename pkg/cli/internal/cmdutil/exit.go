package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// The exit codes, a contract for scripts.
const (
	ExitDone        = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitMissing     = 3
	ExitTimedOut    = 4
	ExitBroken      = 5
	ExitInterrupted = 130
)

// UsageError is a mistake in how hcctl was called.
type UsageError struct {
	Err error
	// Help is the next step, such as "hcctl create cluster --help".
	Help string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// ExitCode is that of a command that was called in a wrong way.
func (*UsageError) ExitCode() int { return ExitUsage }

// Hint says where the help is.
func (e *UsageError) Hint() string { return e.Help }

// hinted is an error with the next step for a person.
type hinted struct {
	err  error
	hint string
}

// WithHint is err with what a person can do about it.
func WithHint(err error, hint string) error { return &hinted{err: err, hint: hint} }

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// Hint says where the help is.
func (e *hinted) Hint() string { return e.hint }

// Resumable is a run that did not end well and can be taken up again.
type Resumable struct {
	error
	Resume string
}

// WithResume is err with how to go on from there.
func WithResume(err error, how string) *Resumable { return &Resumable{error: err, Resume: how} }

func (e *Resumable) Unwrap() error { return e.error }

// errNotConfirmed is what a command ends with when the person at the terminal does not say yes.
var errNotConfirmed = errors.New("not confirmed: nothing was changed")

// ExitCode is the one place where errors become exit codes. Errors of the libraries may carry their own.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	if run, ok := step.AsRunError(err); ok {
		return outcomeCode(run.Worst())
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
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

// PrintError writes one clear error: what is wrong, where, what to do.
func (a *Factory) PrintError(err error) {
	w := a.Streams.Err
	if resume, told := errTold(err); told {
		Tell(w, "%s.\n", UpperFirst(a.Here(resume)))
		return
	}
	if run, ok := step.AsRunError(err); ok {
		a.printRunError(run)
		var again *Resumable
		if errors.As(err, &again) {
			Tell(w, "%s.\n", UpperFirst(a.Here(again.Resume)))
		}
		var early *preflightError
		if errors.As(err, &early) {
			Tell(w, "%s\n", a.Here(early.next()))
		}
		return
	}
	for _, line := range sentences(err) {
		Tell(w, "Error: %s\n", line)
	}
	var with interface{ Hint() string }
	if errors.As(err, &with) && with.Hint() != "" {
		Tell(w, "  → %s\n", a.Here(with.Hint()))
	}
}

// printRunError lists every step that did not end well, each with its hint; those that ended by one and the same cause,
// which is none of theirs, together.
func (a *Factory) printRunError(run *step.RunError) {
	w := a.Streams.Err
	Tell(w, "\n")
	blocked := 0
	told := map[string]bool{}
	for i, r := range run.Results {
		if r.Outcome == step.OutcomeBlocked {
			blocked++
			continue
		}
		line, hint := r.Line(), r.Finding.Hint
		cause := commonCause(r)
		if told[cause] {
			continue
		}
		others := sharing(run.Results[i+1:], cause)
		if cause != "" {
			told[cause] = true
			if r.Err != nil {
				line, hint = fmt.Sprintf("%s: %s", r.Step.ID, cause), kube.Remedy(r.Err)
			}
		}
		Tell(w, "Error: %s\n", line)
		if len(others) > 0 {
			Tell(w, "  the same at %s\n", Few(others))
		}
		if hint != "" {
			Tell(w, "  → %s\n", a.Here(hint))
		}
		if r.Step.Docs != "" && len(others) == 0 {
			Tell(w, "    %s\n", report.DocsBase+r.Step.Docs)
		}
	}
	if blocked > 0 {
		Tell(w, "%d further steps need these and were not begun.\n", blocked)
	}
}

// commonCause is why a step ended that may be why others did: the API server and hcctl do not trust each other any
// more, or what could not be looked at could not be later. Empty for what is the step's own.
func commonCause(r step.Result) string {
	switch {
	case r.Err != nil && kube.Remedy(r.Err) != "":
		return kube.Explain(r.Err)
	case r.Err == nil && r.Finding.State == step.StateUnknown && r.Finding.Final:
		return r.Finding.Message
	}
	return ""
}

// sharing are the steps that ended by that cause; none for what is a step's own.
func sharing(results []step.Result, cause string) []string {
	var ids []string
	for _, r := range results {
		if cause != "" && r.Outcome != step.OutcomeBlocked && commonCause(r) == cause {
			ids = append(ids, string(r.Step.ID))
		}
	}
	return ids
}

// sentences are the lines of an error: several where it is several errors joined. A line break in the words of one
// makes no line.
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

// Sentence says errors of the API server as a person would; all others speak for themselves.
func Sentence(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if kube.IsTooLarge(err) {
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

// ErrFindings goes with an end about which all has been said already, such as that of a check whose report is printed.
var ErrFindings = errors.New("all is said")

// findings is a check's verdict as an error: it carries the exit code and prints nothing more.
type findings struct{ run *step.RunError }

// FoundBy is the error of a check that ran and found something.
func FoundBy(run *step.RunError) error { return &findings{run: run} }

func (f *findings) Error() string        { return f.run.Error() }
func (f *findings) Unwrap() error        { return f.run }
func (f *findings) Is(target error) bool { return target == ErrFindings }

// ExitCode is that of a missing prerequisite if anything is known to be missing or broken, even where something else is
// unknown; an interruption outweighs both.
func (f *findings) ExitCode() int {
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
