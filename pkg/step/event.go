package step

import "time"

// Phase says what an Event is about.
type Phase string

// The phases of a step, in the order they come; a step need not pass through all.
const (
	// Begun means all the step needs has ended well. A Check, and steps that are skipped or blocked, do not pass through
	// it.
	Begun Phase = "begun"
	// Checked carries the first finding.
	Checked Phase = "checked"
	// Applying means Apply is about to be called, for the first time or once more.
	Applying Phase = "applying"
	// Applied carries what Apply did.
	Applied Phase = "applied"
	// WaitingOn carries a finding that differs from the last one told.
	WaitingOn Phase = "waiting"
	// Finished carries the Result.
	Finished Phase = "finished"
)

// Event is one change of state of one step. Observers are called one at a time, in order.
type Event struct {
	Time    time.Time
	Phase   Phase
	Step    *Step
	Finding Finding
	Change  Change
	// Result is set when Phase is Finished.
	Result *Result
	// Elapsed is the time since the step was begun with.
	Elapsed time.Duration
}
