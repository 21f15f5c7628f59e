// Package graph draws steps and what they need: after a check with the state of each, or of a plan with what a run
// would do about each.
package graph
