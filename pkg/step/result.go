package step

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Outcome is how a step ended.
type Outcome string

// How a step can end.
const (
	// OutcomeDone means the predicate holds (or the step is skipped).
	OutcomeDone Outcome = "done"
	// OutcomeWarned means an Advisory step's predicate does not hold.
	OutcomeWarned Outcome = "warned"
	// OutcomeMissing means the predicate does not hold and nothing hcctl does can make it.
	OutcomeMissing Outcome = "missing"
	// OutcomeFailed means Apply failed for good, or the state cannot be known.
	OutcomeFailed Outcome = "failed"
	// OutcomeBroken means the step reached a state that waiting will not cure.
	OutcomeBroken Outcome = "broken"
	// OutcomeTimedOut means the time was up while the predicate did not hold yet.
	OutcomeTimedOut Outcome = "timed out"
	// OutcomeBlocked means a step it needs did not end well, so it was not begun.
	OutcomeBlocked Outcome = "blocked"
	// OutcomeInterrupted means the run was cancelled.
	OutcomeInterrupted Outcome = "interrupted"
)

// Result is what became of one step.
type Result struct {
	Step    *Step
	Outcome Outcome
	// Finding is the last one.
	Finding Finding
	// Change is what the step wrote: Unchanged if it held from the start, empty if it came to hold without being written
	// to.
	Change Change
	// Err is why Apply failed, where it did.
	Err error
	// Begun is when its needs were met; zero for a step that was skipped or blocked, or only checked.
	Begun time.Time
	// Elapsed is the time from the step's begin to its end.
	Elapsed time.Duration
}

// Good tells whether what needs this step may go on.
func (r Result) Good() bool { return r.Outcome == OutcomeDone || r.Outcome == OutcomeWarned }

// Report is what became of every step, in the order of the graph.
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

// Changed counts the steps that wrote something.
func (r Report) Changed() int {
	n := 0
	for _, res := range r.Results {
		if res.Change != "" && res.Change != Unchanged {
			n++
		}
	}
	return n
}

// Err returns nil if every step ended well, else a *RunError.
func (r Report) Err() error {
	var bad []Result
	for _, res := range r.Results {
		if !res.Good() {
			bad = append(bad, res)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &RunError{Results: bad}
}

// RunError says which steps did not end well. Blocked ones are in it but never the only ones.
type RunError struct{ Results []Result }

// Worst is the outcome that decides the exit code, the gravest first: interrupted, broken, timed out, failed, missing.
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

// Error names every step that did not end well and why; blocked ones are only counted.
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
		lines = append(lines, fmt.Sprintf("%d further steps were not begun, because they need these", blocked))
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As the causes.
func (e *RunError) Unwrap() []error {
	var errs []error
	for _, r := range e.Results {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	return errs
}

// Line is one sentence: the step, how it ended, the object, the message.
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
		message = r.Err.Error()
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
