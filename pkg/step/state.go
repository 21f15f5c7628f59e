package step

import (
	"fmt"
	"slices"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
)

// State is the state of a finding. All checks of a cluster use the same scale.
type State int

// The states. The zero value is StateUnknown, so that an empty Finding is never StateOK.
const (
	// StateUnknown means that the Check could not read the state: no permission, or no answer from the API server. It is
	// never good.
	StateUnknown State = iota
	// StateOK means that the predicate holds.
	StateOK
	// StateMissing means that an object does not exist or differs from the desired one. Apply or a user must write it.
	StateMissing
	// StatePending means that all objects are written and the cluster is working on them: waiting helps.
	StatePending
	// StateBroken means that waiting does not help: a terminal condition, a conflict, an unsupported platform.
	StateBroken
	// StateSkipped means that Options.Skip has the step.
	StateSkipped
	// StateWarning means that it works, but needs the user's attention.
	StateWarning
	// StateFailing means that something is wrong. It may recover by itself.
	StateFailing
)

var stateNames = [...]string{"unknown", "ok", "missing", "pending", "broken", "skipped", "warning", "failing"}

// bestFirst has every state, from the best to the most severe.
var bestFirst = []State{StateOK, StateSkipped, StateWarning, StateUnknown, StatePending, StateMissing, StateFailing,
	StateBroken}

// Compare is negative if s is better than t, and positive if it is more severe.
func (s State) Compare(t State) int { return slices.Index(bestFirst, s) - slices.Index(bestFirst, t) }

// Worse returns the more severe of two states.
func Worse(s, t State) State {
	if t.Compare(s) > 0 {
		return t
	}
	return s
}

// Gravest returns the most severe state of the findings; StateOK if there is none.
func Gravest(findings []Finding) State {
	gravest := StateOK
	for i := range findings {
		gravest = Worse(gravest, findings[i].State)
	}
	return gravest
}

// Count returns the number of findings with the state.
func Count(findings []Finding, s State) int {
	n := 0
	for i := range findings {
		if findings[i].State == s {
			n++
		}
	}
	return n
}

// GravestFirst sorts findings by state, the most severe first. The sort is stable.
func GravestFirst(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int { return b.State.Compare(a.State) })
}

// String returns the name used in all output, such as "missing".
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// MarshalText returns the name, for JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is the result of a Check.
type Finding struct {
	State State `json:"state"`
	// Message is one sentence: the observed value and, if it is not StateOK, the violated rule.
	Message string `json:"message,omitempty"`
	// Object is the object that the Check read, such as "StorageClass ocs-storagecluster-ceph-rbd".
	Object string `json:"object,omitempty"`
	// Hint is the user's next action: an exact command line if there is one.
	Hint hint.Text `json:"hint,omitzero"`
	// Detail has lines that help the user to decide, such as a table.
	Detail string `json:"detail,omitempty"`
	// Recheck is the time after which the Check is repeated even if no watched object changes, for state without a watch
	// such as an HTTPS endpoint. Zero means that only changes repeat it.
	Recheck time.Duration `json:"-"`
	// Final marks an unknown state that a retry does not change, such as a missing permission, and a missing state that no
	// other step resolves, such as an address that only the user knows. A plan reports both before the needs are applied.
	Final bool `json:"-"`
	// Outage marks an unknown state caused by an outage of the API server. The run reports the outage once, so observers
	// get no event for it.
	Outage bool `json:"-"`
	// Trouble marks a pending state with a problem, such as a degraded component. It may recover; a run waits for
	// Options.TroubleTimeout.
	Trouble bool `json:"-"`
}

// OK returns a Finding with StateOK. The message is formatted as by fmt.Sprintf.
func OK(format string, args ...any) Finding { return found(StateOK, format, args) }

// Missing returns a Finding with StateMissing. The message is formatted as by fmt.Sprintf.
func Missing(format string, args ...any) Finding { return found(StateMissing, format, args) }

// Pending returns a Finding with StatePending. The message is formatted as by fmt.Sprintf.
func Pending(format string, args ...any) Finding { return found(StatePending, format, args) }

// Broken returns a Finding with StateBroken. The message is formatted as by fmt.Sprintf.
func Broken(format string, args ...any) Finding { return found(StateBroken, format, args) }

// Failing returns a Finding with StateFailing. The message is formatted as by fmt.Sprintf.
func Failing(format string, args ...any) Finding { return found(StateFailing, format, args) }

// Unknown returns a Finding with StateUnknown. The message is formatted as by fmt.Sprintf.
func Unknown(format string, args ...any) Finding { return found(StateUnknown, format, args) }

func found(s State, format string, args []any) Finding {
	if len(args) == 0 {
		return Finding{State: s, Message: format}
	}
	return Finding{State: s, Message: fmt.Sprintf(format, args...)}
}

// On returns f with its object, formatted as by fmt.Sprintf.
func (f Finding) On(format string, args ...any) Finding {
	f.Object = fmt.Sprintf(format, args...)
	return f
}

// WithHint returns f with a hint, formatted as by fmt.Sprintf.
func (f Finding) WithHint(format string, args ...any) Finding {
	f.Hint = hint.New(format, args...)
	return f
}

// WithDetail returns f with Detail set to lines.
func (f Finding) WithDetail(lines string) Finding {
	f.Detail = lines
	return f
}

// RecheckAfter returns f with Recheck set to d.
func (f Finding) RecheckAfter(d time.Duration) Finding {
	f.Recheck = d
	return f
}

// WithTrouble returns f with Trouble set.
func (f Finding) WithTrouble() Finding {
	f.Trouble = true
	return f
}

// same reports whether state, message and object are the same.
func (f Finding) same(g Finding) bool {
	return f.State == g.State && f.Message == g.Message && f.Object == g.Object
}
