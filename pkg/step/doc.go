// Package step is the engine of hcctl: a step is a predicate and a way to make it true.
//
// Check asks every predicate of a Graph; Run asks, makes true what is not, and waits for the same predicate to turn.
// Since nothing else decides whether something is ready, what check says and what bootstrap, create or delete wait for
// cannot disagree. The package knows nothing of Kubernetes: what to watch and which errors heal are handed in by
// Options.
package step
