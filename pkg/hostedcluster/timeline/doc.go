// Package timeline says where the minutes of a run went: what each step waited for, and which steps the whole waited
// for (the critical path).
//
// A Run comes from the events that bootstrap, create, apply and others write with -o json (docs/events.md), or from the
// times that a hosted cluster's own objects have. It is written as text and as a page that needs nothing but itself.
//
// Events may come from anybody: they are read against the list of types in docs/events.md, with bounds on lines, steps
// and texts, and what is not on the list is ignored.
package timeline
