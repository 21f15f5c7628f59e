package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// bound is the required side of a target.
type bound string

const (
	under  bound = "under"
	atMost bound = "at most"
	over   bound = "over"
)

// target is the project's own target for a measure. Of is the run that must meet it: the median or the worst.
type target struct {
	Bound bound   `json:"bound"`
	Value float64 `json:"value"`
	Of    string  `json:"of"`
}

const (
	ofMedian = "median"
	ofWorst  = "worst"
)

// In returns the target for a table.
func (t target) In(unit string) string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s %s", t.Bound, measuring.Number(t.Value), unit))
	if t.Of == ofWorst {
		text += " (worst)"
	}
	return text
}

// met reports whether a value meets the target.
func (t target) met(v float64) bool {
	switch t.Bound {
	case under:
		return v < t.Value
	case over:
		return v > t.Value
	}
	return v <= t.Value
}

// measure is one thing that is measured. The tables of measures are in measures.go.
type measure struct {
	ID    string
	Group string
	What  string
	Unit  string
	// Target is nil for a measure without one.
	Target *target
	// Command is the command line.
	Command string
}

// figure is a measure with its values, as in the results file.
type figure struct {
	ID      string    `json:"id"`
	Group   string    `json:"group"`
	What    string    `json:"what"`
	Unit    string    `json:"unit"`
	Command string    `json:"command"`
	Runs    []float64 `json:"runs"`
	Median  float64   `json:"median"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	Target  *target   `json:"target,omitempty"`
	// Met is nil without a target.
	Met *bool `json:"met,omitempty"`
}

// judge makes the figure of a measure from its runs, at least one.
func judge(m measure, runs []float64) figure {
	f := figure{
		ID: m.ID, Group: m.Group, What: m.What, Unit: m.Unit, Command: m.Command, Runs: runs,
		Median: measuring.Median(runs), Min: slices.Min(runs), Max: slices.Max(runs), Target: m.Target,
	}
	if m.Target != nil {
		met := m.Target.met(f.Judged())
		f.Met = &met
	}
	return f
}

// Judged is the value that is compared with the target: the median or the worst run.
func (f figure) Judged() float64 {
	switch {
	case f.Target == nil || f.Target.Of == ofMedian:
		return f.Median
	case f.Target.Bound == over:
		return f.Min
	}
	return f.Max
}
