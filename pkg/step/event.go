package step

import "time"

// APIVersion is the apiVersion of every document, file and event stream that hcctl writes or reads.
const APIVersion = "hcctl.dev/v1alpha1"

// TypeMeta has the first fields of every document that hcctl prints, and of the files that it reads again.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// NewTypeMeta returns the TypeMeta of a kind with APIVersion.
func NewTypeMeta(kind string) TypeMeta { return TypeMeta{APIVersion, kind} }

// Phase is the type of an Event.
type Phase string

// The phases of a step, in their order. A step may omit some.
const (
	// Begun means that all needs of the step have succeeded. Check does not send it, and skipped and blocked steps have
	// none.
	Begun Phase = "begun"
	// Checked carries the first finding.
	Checked Phase = "checked"
	// Applying is sent before every call of Apply.
	Applying Phase = "applying"
	// Applied carries the change by Apply.
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
	// Elapsed is the time since the start of the step.
	Elapsed time.Duration
}
