// Package feasibility holds what hcctl foresees against what then happens: each input is tried in both dry runs and for
// real.
package feasibility
