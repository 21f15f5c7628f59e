package step

import "time"

// APIVersion is that of every document, file and stream of events that hcctl writes or reads.
const APIVersion = "hcctl.dev/v1alpha1"

// TypeMeta begins every document that hcctl prints, and the files that it reads again.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// NewTypeMeta returns the beginning of a document of a kind.
func NewTypeMeta(kind string) TypeMeta { return TypeMeta{APIVersion, kind} }

// Phase says what an Event is about.
type Phase string

// The phases of a step, in the order in which they come. A step may leave out some.
const (
	// Begun means that all needs of the step have ended well. It does not come in a Check, nor for skipped and blocked
	// steps.
	Begun Phase = "begun"
	// Checked carries the first finding.
	Checked Phase = "checked"
	// Applying comes before every call of Apply.
	Applying Phase = "applying"
	// Applied carries what Apply did.
	Applied Phase = "applied"
	// WaitingOn carries a finding that differs from the last one reported.
	WaitingOn Phase = "waiting"
	// Finished carries the Result.
	Finished Phase = "finished"
)

// Event is one change of state of one step. Observers get one event at a time, in order.
type Event struct {
	Time    time.Time
	Phase   Phase
	Step    *Step
	Finding Finding
	Change  Change
	// Result is set when Phase is Finished.
	Result *Result
	// Elapsed is the time since the step began.
	Elapsed time.Duration
}
