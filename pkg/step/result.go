package step

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/plural"
)

// Outcome is the result of a step in one word.
type Outcome string

// The outcomes of a step. OutcomeBroken and OutcomeMissing have the names of the states that cause them.
const (
	// OutcomeDone means that the Check reported StateOK, or that the step was skipped.
	OutcomeDone Outcome = "done"
	// OutcomeWarned means that a Check reported StateWarning, or that of an Advisory step did not report StateOK.
	OutcomeWarned Outcome = "warned"
	// OutcomeMissing means that the Check did not report StateOK and that hcctl cannot change that.
	OutcomeMissing Outcome = "missing"
	// OutcomeFailed means that Apply failed with a permanent error, or that the state is unknown.
	OutcomeFailed Outcome = "failed"
	// OutcomeBroken means that the step reached a state in which waiting does not help.
	OutcomeBroken Outcome = "broken"
	// OutcomeTimedOut means that the step reached its timeout.
	OutcomeTimedOut Outcome = "timed out"
	// OutcomeBlocked means that the step did not start, because a need did not succeed.
	OutcomeBlocked Outcome = "blocked"
	// OutcomeInterrupted means that the run was cancelled.
	OutcomeInterrupted Outcome = "interrupted"
)

// Result is the result of one step.
type Result struct {
	Step    *Step
	Outcome Outcome
	// Finding is the result of the last Check.
	Finding Finding
	// Change is the change by the step: Unchanged if the first Check reported StateOK, "" if the step only waited.
	Change Change
	// Err is the error of Apply.
	Err error
	// Begun is the time when all needs had ended. It is zero for skipped, blocked and only checked steps.
	Begun time.Time
	// Elapsed is the time from the start of the step to its end.
	Elapsed time.Duration
}

// Good reports whether the steps that need this one may start.
func (r Result) Good() bool { return r.Outcome == OutcomeDone || r.Outcome == OutcomeWarned }

// Report has the results of all steps, in the order of the graph.
type Report struct {
	Results []Result
	Elapsed time.Duration
}

// Get returns the result of one step.
func (r Report) Get(id ID) (Result, bool) {
	for _, res := range r.Results {
		if res.Step.ID == id {
			return res, true
		}
	}
	return Result{}, false
}

// Changed returns the number of steps that wrote something.
func (r Report) Changed() int {
	n := 0
	for _, res := range r.Results {
		if res.Change != "" && res.Change != Unchanged {
			n++
		}
	}
	return n
}

// Err returns nil if every step succeeded, else a *RunError.
func (r Report) Err() error {
	var failing []Result
	for _, res := range r.Results {
		if !res.Good() {
			failing = append(failing, res)
		}
	}
	if len(failing) == 0 {
		return nil
	}
	return &RunError{Results: failing}
}

// RunError has the steps that did not succeed. Blocked steps are in it, but never alone.
type RunError struct{ Results []Result }

// Worst returns the outcome that determines the exit code, in this order: interrupted, broken, timed out, failed,
// missing.
func (e *RunError) Worst() Outcome {
	for _, o := range []Outcome{OutcomeInterrupted, OutcomeBroken, OutcomeTimedOut, OutcomeFailed, OutcomeMissing} {
		for _, r := range e.Results {
			if r.Outcome == o {
				return o
			}
		}
	}
	return OutcomeFailed
}

// Error returns one line for each step that did not succeed, with the reason, and the number of blocked steps.
func (e *RunError) Error() string {
	var lines []string
	blocked := 0
	for _, r := range e.Results {
		if r.Outcome == OutcomeBlocked {
			blocked++
			continue
		}
		lines = append(lines, r.Line())
	}
	if blocked > 0 {
		lines = append(lines, plural.Count(blocked, "further step")+" not started, because of these")
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of Apply.
func (e *RunError) Unwrap() []error {
	var errs []error
	for _, r := range e.Results {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	return errs
}

// Line returns one sentence: the step, its outcome, the object, the message.
func (r Result) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", r.Step.ID)
	switch r.Outcome {
	case OutcomeTimedOut:
		fmt.Fprintf(&b, "not done after %s: ", r.Elapsed.Round(time.Second))
	case OutcomeInterrupted:
		b.WriteString("interrupted: ")
	case OutcomeBroken:
		b.WriteString("waiting will not help: ")
	case OutcomeDone, OutcomeWarned, OutcomeMissing, OutcomeFailed, OutcomeBlocked:
	}
	if r.Finding.Object != "" {
		fmt.Fprintf(&b, "%s: ", r.Finding.Object)
	}
	message := r.Finding.Message
	if r.Err != nil {
		message = strings.TrimPrefix(r.Err.Error(), r.Finding.Object+": ") // a write error may begin with it
	}
	if message == "" {
		message = r.Finding.State.String()
	}
	b.WriteString(strings.Join(strings.Fields(message), " ")) // operators' messages can have several lines
	return b.String()
}

// AsRunError finds the *RunError in err.
func AsRunError(err error) (*RunError, bool) {
	var re *RunError
	ok := errors.As(err, &re)
	return re, ok
}
