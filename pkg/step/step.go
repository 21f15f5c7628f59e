package step

import (
	"context"
	"strings"
	"time"
)

// ID names a step for good: scripts, --skip and the docs page rely on it. Its form is "group/name".
type ID string

// Group is the part before the slash, or nothing.
func (id ID) Group() string {
	group, _, ok := strings.Cut(string(id), "/")
	if !ok {
		return ""
	}
	return group
}

// Severity says what a step that does not hold means.
type Severity int

const (
	// Required means nothing that needs the step can work, and the command fails. It is the zero value.
	Required Severity = iota
	// Advisory means a warning: told, but neither waited for nor a failure.
	Advisory
)

// String is "required" or "advisory".
func (s Severity) String() string {
	if s == Advisory {
		return "advisory"
	}
	return "required"
}

// MarshalText makes JSON carry the word rather than the number.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Change is what Apply did.
type Change string

// What Apply can have done.
const (
	Unchanged  Change = "unchanged"
	Created    Change = "created"
	Configured Change = "configured"
	Deleted    Change = "deleted"
)

// Join is the change of a step that wrote several objects: the most telling of its parts.
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

// Step is a predicate and a way to make it true. Steps never call each other: what one needs of another stands in
// Needs.
type Step struct {
	ID ID
	// Title says in a few words what holds once the step is done, such as "MetalLB address pool".
	Title string
	// Group gathers steps in reports, such as "load balancer".
	Group string
	// Subject is what the step is about where a run is about several of the kind, such as the hosted cluster
	// "clusters/kv-00" in a fleet.
	Subject string
	// Severity is Required unless said otherwise.
	Severity Severity
	// Needs are the steps that must hold before this one is applied. Check asks regardless of them.
	Needs []ID
	// After are steps whose end this one waits for, however they end. Those that are not in the graph are not waited for.
	After []ID
	// Check answers whether the predicate holds. It only reads, never guesses, and names what it looked at.
	Check func(ctx context.Context) Finding
	// Apply makes the predicate true, or starts what will. It is idempotent. Nil means only a person can.
	// It is called when Check says Missing, and called again if that comes back.
	Apply func(ctx context.Context) (Change, error)
	// Attempt is a write that asks by itself, such as a create, which an API server refuses if the object is there. Where
	// there is one, Run tries it before Check, and the step is over if its Finding is StateOK: what was answered to the
	// write is how things stand. With any other Finding, whatever went wrong, the step goes the usual way. Check and Plan
	// know nothing of it.
	Attempt func(ctx context.Context) (Change, Finding)
	// Timeout bounds the step from its start, including the waiting. Zero means only the run's own bound.
	Timeout time.Duration
	// Docs is the page about the step, relative to the repository, such as "docs/checks/metallb-pool.md".
	Docs string

	// support marks a step that is in its graph only because another needs it (Graph.Only).
	support bool
}
