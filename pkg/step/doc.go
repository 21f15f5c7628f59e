// Package step is the engine of hcctl: a step is a predicate (Check) and a way to make it true (Apply).
//
// Graph.Check calls every Check. Graph.Run also calls Apply where something is missing, and waits until the same Check
// reports StateOK. No other code decides whether something is ready, so the commands check, bootstrap, create and
// delete cannot disagree.
//
// The package knows nothing of Kubernetes: Options say what to watch and which errors are transient.
package step
