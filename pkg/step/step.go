package step

import (
	"context"
	"strings"
	"time"
)

// ID is the permanent name of a step, in the form "group/name". Scripts, --skip and the docs page depend on it.
type ID string

// Group returns the part before the slash, or "".
func (id ID) Group() string {
	group, _, ok := strings.Cut(string(id), "/")
	if !ok {
		return ""
	}
	return group
}

// Severity is the effect of a Check that does not report StateOK.
type Severity int

const (
	// Required makes the command fail. It is the zero value.
	Required Severity = iota
	// Advisory makes a warning: a run reports the step, but neither waits for it nor fails.
	Advisory
)

// String returns "required" or "advisory".
func (s Severity) String() string {
	if s == Advisory {
		return "advisory"
	}
	return "required"
}

// MarshalText returns the name, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Change is the kind of change that Apply made.
type Change string

// The changes.
const (
	Unchanged  Change = "unchanged"
	Created    Change = "created"
	Configured Change = "configured"
	Deleted    Change = "deleted"
)

// Join returns the change of a step that wrote several objects, by precedence: created, deleted, configured, unchanged.
func Join(changes ...Change) Change {
	rank := map[Change]int{Unchanged: 1, Configured: 2, Deleted: 3, Created: 4}
	highest := Unchanged
	for _, c := range changes {
		if rank[c] > rank[highest] {
			highest = c
		}
	}
	return highest
}

// Step has a predicate and an action that makes it true. Steps never call each other; Needs are their dependencies.
type Step struct {
	ID ID
	// Title names the result of the step in a few words, such as "MetalLB address pool".
	Title string
	// Group is the heading of the step in reports, such as "load balancer".
	Group string
	// Subject is the object of the step in runs over several objects, such as the hosted cluster "clusters/kv-00".
	Subject string
	// Severity is Required by default.
	Severity Severity
	// Needs has the steps that must succeed before this one starts. Graph.Check ignores it.
	Needs []ID
	// After has steps that must end before this one starts, successfully or not. Steps that are not in the graph are
	// ignored.
	After []ID
	// Check reports whether the predicate holds. It only reads, through the given Reads, never guesses, and names the
	// object that it read.
	Check func(ctx context.Context, reads Reads) Finding
	// Apply makes the predicate true, or starts a process that does; it is idempotent. Run calls it whenever Check reports
	// StateMissing. Nil means that only a user can act.
	Apply func(ctx context.Context) (Change, error)
	// Attempt is a write that tests the state itself, such as a create that fails if the object exists. Run calls it
	// before Check and ends the step if its Finding is StateOK; Check and Plan ignore it.
	Attempt func(ctx context.Context) (Change, Finding)
	// Timeout limits the step from its start, waiting included. Zero means only the timeout of the run.
	Timeout time.Duration
	// Docs is the documentation page of the step, relative to the repository, such as "docs/checks/metallb-pool.md".
	Docs string

	// support marks a step that Graph.Only added because another step needs it.
	support bool
}
