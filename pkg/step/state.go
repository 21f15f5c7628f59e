package step

import (
	"fmt"
	"slices"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
)

// State is how well something is: the one scale of findings, of a Check and of whatever else looks at a cluster.
type State int

// The states. The zero value is StateUnknown, so that an empty Finding is never StateOK.
const (
	// StateUnknown means that the Check could not read the state: no permission, or no answer from the API server. It is
	// never good.
	StateUnknown State = iota
	// StateOK means that the predicate holds.
	StateOK
	// StateMissing means that something does not exist, or differs from what was asked. Apply or a user has to write it.
	StateMissing
	// StatePending means that all is written and the cluster is working on it: waiting helps.
	StatePending
	// StateBroken means that waiting does not help: a terminal condition, a conflict, an unsupported platform.
	StateBroken
	// StateSkipped means that the options said to skip the step.
	StateSkipped
	// StateWarning means that it works, and that there is something to know.
	StateWarning
	// StateFailing means that something is wrong. It may recover by itself.
	StateFailing
)

var stateNames = [...]string{"unknown", "ok", "missing", "pending", "broken", "skipped", "warning", "failing"}

// bestFirst has every state, from the best to the gravest.
var bestFirst = []State{StateOK, StateSkipped, StateWarning, StateUnknown, StatePending, StateMissing, StateFailing,
	StateBroken}

// Compare is negative if s is better than t, and positive if it is graver.
func (s State) Compare(t State) int { return slices.Index(bestFirst, s) - slices.Index(bestFirst, t) }

// Worse returns the graver of two states.
func Worse(s, t State) State {
	if t.Compare(s) > 0 {
		return t
	}
	return s
}

// Gravest returns the gravest of the findings' states; StateOK if there is none.
func Gravest(findings []Finding) State {
	gravest := StateOK
	for i := range findings {
		gravest = Worse(gravest, findings[i].State)
	}
	return gravest
}

// Count returns how many findings have the state.
func Count(findings []Finding, s State) int {
	n := 0
	for i := range findings {
		if findings[i].State == s {
			n++
		}
	}
	return n
}

// GravestFirst sorts findings by state. Those of one state keep their order.
func GravestFirst(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int { return b.State.Compare(a.State) })
}

// String returns the word used in every output, such as "missing".
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// MarshalText makes JSON carry the word instead of the number.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is what a Check returns.
type Finding struct {
	State State `json:"state"`
	// Message is one sentence: the observed value and, where it is not StateOK, the rule it breaks.
	Message string `json:"message,omitempty"`
	// Object is the object that the Check read, such as "StorageClass ocs-storagecluster-ceph-rbd".
	Object string `json:"object,omitempty"`
	// Hint is the next step for a user: an exact command line if there is one.
	Hint hint.Text `json:"hint,omitzero"`
	// Detail is what a user may want to see before a decision, such as a table, in lines.
	Detail string `json:"detail,omitempty"`
	// Recheck is the time after which the Check is repeated even if no watched object changes, for state without a watch
	// such as an HTTPS endpoint. Zero means that only changes repeat it.
	Recheck time.Duration `json:"-"`
	// Final marks an unknown state that a retry does not change, such as a missing permission, and a missing one that no
	// other step brings, such as an address that only the user knows: a plan says so before the needs are there.
	Final bool `json:"-"`
	// Outage marks an unknown state that an outage of the API server causes. The run reports the outage once, so observers
	// get no event for it.
	Outage bool `json:"-"`
	// Trouble marks a pending state in which something is wrong, such as a degraded component. It may recover; a run waits
	// for Options.TroubleTimeout.
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

// On returns f with the object it is about, formatted as by fmt.Sprintf.
func (f Finding) On(format string, args ...any) Finding {
	f.Object = fmt.Sprintf(format, args...)
	return f
}

// WithHint returns f with the next step for a user, formatted as by fmt.Sprintf.
func (f Finding) WithHint(format string, args ...any) Finding {
	f.Hint = hint.New(format, args...)
	return f
}

// WithDetail returns f with lines that a user may want to see.
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

// same reports whether two findings read the same to a user.
func (f Finding) same(g Finding) bool {
	return f.State == g.State && f.Message == g.Message && f.Object == g.Object
}
