// Package timeline shows what the time of a run was spent on: what each step waited for, and which steps determined its
// length (the critical path).
//
// A Run comes from the events that bootstrap, create, apply and others write with -o json (docs/events.md), or from the
// times in a hosted cluster's own objects. It is written as text or as a self-contained page.
//
// Events are untrusted input: only the types in docs/events.md are read, with limits on lines, steps and texts. Others
// are ignored.
package timeline
