package step

import (
	"fmt"
	"time"
)

// State is what a Check found.
type State int

// The states a Check can find. The zero value is Unknown, so that a Finding nobody filled in is never StateOK.
const (
	// StateUnknown means the Check could not look: no permission, the API server does not answer. It is never StateOK.
	StateUnknown State = iota
	// StateOK means the predicate holds.
	StateOK
	// StateMissing means something is not there, or not as asked, that Apply (or a person) has to write.
	StateMissing
	// StatePending means all is written and the cluster is working on it: waiting helps.
	StatePending
	// StateBroken means waiting will not cure it: a terminal condition, a conflict, an unsupported platform.
	StateBroken
	// StateSkipped means the step was told not to run.
	StateSkipped
)

var stateNames = [...]string{"unknown", "ok", "missing", "pending", "broken", "skipped"}

// String is the word used in every output, such as "missing".
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// MarshalText makes JSON carry the word rather than the number.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is the answer of a Check.
type Finding struct {
	State State `json:"state"`
	// Message is one sentence: the observed value and, where it is not StateOK, the rule it breaks.
	Message string `json:"message,omitempty"`
	// Object names what was looked at, such as "StorageClass ocs-storagecluster-ceph-rbd".
	Object string `json:"object,omitempty"`
	// Hint is the next step for a person: an exact command line where there is one.
	Hint string `json:"hint,omitempty"`
	// Recheck asks to be asked again after this time although no watched object changed: the predicate looks at something
	// no watch tells of, such as an endpoint. Zero means only changes wake it.
	Recheck time.Duration `json:"-"`
	// Final marks an Unknown that asking again will not turn, such as a missing permission.
	Final bool `json:"-"`
	// Outage marks an Unknown that is nothing of the step's own, such as an API server that is away, and that is told
	// once for the whole run by who runs it. Observers are not told of it as something to wait on.
	Outage bool `json:"-"`
	// Trouble marks a Pending in which something is wrong rather than merely under way, such as a component that is
	// degraded. It may heal by itself; a run waits for that as long as Options.TroubleTimeout.
	Trouble bool `json:"-"`
}

// OK returns an StateOK Finding; Message is formatted as by fmt.Sprintf.
func OK(format string, args ...any) Finding { return found(StateOK, format, args) }

// Missing returns a Missing Finding; Message is formatted as by fmt.Sprintf.
func Missing(format string, args ...any) Finding { return found(StateMissing, format, args) }

// Pending returns a Pending Finding; Message is formatted as by fmt.Sprintf.
func Pending(format string, args ...any) Finding { return found(StatePending, format, args) }

// Broken returns a Broken Finding; Message is formatted as by fmt.Sprintf.
func Broken(format string, args ...any) Finding { return found(StateBroken, format, args) }

// Unknown returns an Unknown Finding; Message is formatted as by fmt.Sprintf.
func Unknown(format string, args ...any) Finding { return found(StateUnknown, format, args) }

func found(s State, format string, args []any) Finding {
	if len(args) == 0 {
		return Finding{State: s, Message: format}
	}
	return Finding{State: s, Message: fmt.Sprintf(format, args...)}
}

// On returns f naming the object it is about, formatted as by fmt.Sprintf.
func (f Finding) On(format string, args ...any) Finding {
	f.Object = fmt.Sprintf(format, args...)
	return f
}

// WithHint returns f with the next step for a person, formatted as by fmt.Sprintf.
func (f Finding) WithHint(format string, args ...any) Finding {
	f.Hint = fmt.Sprintf(format, args...)
	return f
}

// RecheckAfter returns f asking to be checked again after d.
func (f Finding) RecheckAfter(d time.Duration) Finding {
	f.Recheck = d
	return f
}

// WithTrouble returns f saying that something is wrong, which may heal by itself.
func (f Finding) WithTrouble() Finding {
	f.Trouble = true
	return f
}

// same tells whether two findings read the same to a person.
func (f Finding) same(g Finding) bool {
	return f.State == g.State && f.Message == g.Message && f.Object == g.Object
}
