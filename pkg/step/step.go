package step

import (
	"context"
	"strings"
	"time"
)

// ID is the permanent name of a step, in the form "group/name": scripts, --skip and the docs page rely on it.
type ID string

// Group returns the part before the slash, or "".
func (id ID) Group() string {
	group, _, ok := strings.Cut(string(id), "/")
	if !ok {
		return ""
	}
	return group
}

// Severity says what it means if a step's Check does not report StateOK.
type Severity int

const (
	// Required means that the command fails. It is the zero value.
	Required Severity = iota
	// Advisory means a warning: the step is reported, but a run neither waits for it nor fails.
	Advisory
)

// String is "required" or "advisory".
func (s Severity) String() string {
	if s == Advisory {
		return "advisory"
	}
	return "required"
}

// MarshalText makes JSON carry the word instead of the number.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Change is what Apply did.
type Change string

// The changes.
const (
	Unchanged  Change = "unchanged"
	Created    Change = "created"
	Configured Change = "configured"
	Deleted    Change = "deleted"
)

// Join returns the change of a step that wrote several objects: created before deleted, configured and unchanged.
func Join(changes ...Change) Change {
	rank := map[Change]int{Unchanged: 1, Configured: 2, Deleted: 3, Created: 4}
	most := Unchanged
	for _, c := range changes {
		if rank[c] > rank[most] {
			most = c
		}
	}
	return most
}

// Step is a predicate and a way to make it true. Steps never call each other; Needs says what they depend on.
type Step struct {
	ID ID
	// Title says in a few words what is true once the step is done, such as "MetalLB address pool".
	Title string
	// Group is the heading of the step in reports, such as "load balancer".
	Group string
	// Subject is the object a step is about in runs over several of them, such as the hosted cluster "clusters/kv-00".
	Subject string
	// Severity is Required by default.
	Severity Severity
	// Needs lists the steps that must end well before this one begins. A Check of the graph ignores them.
	Needs []ID
	// After lists steps whose end this one waits for, good or bad. Those that are not in the graph are ignored.
	After []ID
	// Check reports whether the predicate holds. It only reads, in the way it is given, never guesses, and names the
	// object it read.
	Check func(ctx context.Context, reads Reads) Finding
	// Apply makes the predicate true, or starts what will; it is idempotent. Run calls it whenever Check reports
	// StateMissing, and nil means that only a user can act.
	Apply func(ctx context.Context) (Change, error)
	// Attempt is a write that tests the state by itself, such as a create that fails if the object exists. Run tries it
	// before Check and ends the step if its Finding is StateOK; Check and Plan ignore it.
	Attempt func(ctx context.Context) (Change, Finding)
	// Timeout bounds the step from its start, waiting included. Zero means only the bound of the run.
	Timeout time.Duration
	// Docs is the page about the step, relative to the repository, such as "docs/checks/metallb-pool.md".
	Docs string

	// support marks a step that is in the graph only because another one needs it, see Graph.Only.
	support bool
}
