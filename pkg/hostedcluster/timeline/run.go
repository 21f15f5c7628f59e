package timeline

import (
	"cmp"
	"slices"
	"time"
)

// Kind is what a step did in a part of its time.
type Kind string

// The kinds.
const (
	// Checking is hcctl's own time: from the start to the first finding, and to the next write.
	Checking Kind = "checking"
	// Writing is the time from a write to the next finding.
	Writing Kind = "writing"
	// Waiting is the time in which the cluster had to do something.
	Waiting Kind = "waiting"
)

// Part is a part of a step's time.
type Part struct {
	Kind Kind `json:"kind"`
	// From and To are seconds since the run began.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// For is what the step waited for, with the object; empty if hcctl itself was working.
	For    string `json:"for,omitempty"`
	Object string `json:"object,omitempty"`
}

// Seconds returns the length of the part.
func (p Part) Seconds() float64 { return p.To - p.From }

// Step is a step of a run.
type Step struct {
	ID string `json:"id"`
	// Cluster is the hosted cluster, in a run with several clusters.
	Cluster string   `json:"cluster,omitempty"`
	Title   string   `json:"title,omitempty"`
	Needs   []string `json:"needs,omitempty"`
	// From and To are seconds since the run began.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Outcome and Change are defined in docs/events.md. A step without an end event has the outcome "not ended".
	Outcome string `json:"outcome"`
	Change  string `json:"change,omitempty"`
	Parts   []Part `json:"parts,omitempty"`
	// Critical is set if the end of the run waited for this step.
	Critical bool `json:"critical,omitempty"`
	// Last is the last message about the step.
	Last string `json:"message,omitempty"`

	begun, ended bool
}

// Seconds returns the length of the step.
func (s *Step) Seconds() float64 { return s.To - s.From }

// Note is a message about the whole run, such as an API server that does not answer.
type Note struct {
	At   float64 `json:"at"`
	Text string  `json:"message"`
}

// Run is the timeline of one run.
type Run struct {
	// Title is the command, such as "hcctl bootstrap".
	Title string `json:"title"`
	// On is the management cluster.
	On    string    `json:"on,omitempty"`
	Begun time.Time `json:"begun"`
	// Seconds is the length of the run.
	Seconds float64 `json:"seconds"`
	// End is how the run ended.
	End string `json:"end"`
	// Clock is "events" for exact times of events, or "conditions" for times of objects, in whole seconds.
	Clock string  `json:"clock"`
	Steps []*Step `json:"steps"`
	Notes []Note  `json:"notes,omitempty"`

	// unmet is the last milestone that is currently not met.
	unmet *Step
}

// NotEnded is the outcome of a step without an end event.
const NotEnded = "not ended"

// tookNoTime reports whether a step was not begun.
func tookNoTime(s *Step) bool { return s.Outcome == "skipped" || s.Outcome == "blocked" }

// markCritical marks the critical path: the step that ended last, then the last to end of the steps that it needs, and
// so on.
func (r *Run) markCritical() {
	byID := make(map[string]*Step, len(r.Steps))
	var last *Step
	for _, s := range r.Steps {
		byID[s.ID] = s
		if !tookNoTime(s) && s.begun && (last == nil || s.To > last.To) {
			last = s
		}
	}
	for last != nil && !last.Critical {
		last.Critical = true
		var next *Step
		for _, id := range last.Needs {
			need := byID[id]
			if need != nil && need.begun && !tookNoTime(need) && (next == nil || need.To > next.To) {
				next = need
			}
		}
		last = next
	}
}

// CriticalPath returns the steps of the critical path, in order.
func (r *Run) CriticalPath() []*Step {
	var path []*Step
	for _, s := range r.Steps {
		if s.Critical {
			path = append(path, s)
		}
	}
	slices.SortStableFunc(path, func(a, b *Step) int { return cmp.Compare(a.To, b.To) })
	return path
}

// Ordered returns the steps that took time, sorted by start and then by end.
func (r *Run) Ordered() []*Step {
	var steps []*Step
	for _, s := range r.Steps {
		if s.begun && !tookNoTime(s) {
			steps = append(steps, s)
		}
	}
	slices.SortStableFunc(steps, func(a, b *Step) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return steps
}

// Longest returns what the step waited for, the longest wait first. It leaves out waits shorter than both a second and
// a tenth of the step. Waits for the same thing are added up: the sum begins at the first.
func (s *Step) Longest() []Part {
	var sums []Part
	for _, p := range s.Parts {
		if p.Kind != Waiting {
			continue
		}
		same := slices.IndexFunc(sums, func(other Part) bool { return other.For == p.For && other.Object == p.Object })
		if same < 0 {
			sums = append(sums, p)
			continue
		}
		sums[same].To += p.Seconds()
	}
	sums = slices.DeleteFunc(sums, func(p Part) bool {
		return p.Seconds() <= 0 || p.Seconds() < 1 && p.Seconds() < s.Seconds()/10
	})
	slices.SortStableFunc(sums, func(a, b Part) int { return cmp.Compare(b.Seconds(), a.Seconds()) })
	return sums
}
