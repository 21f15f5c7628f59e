package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/audit"
)

// latencySample is one run of a command.
type latencySample struct {
	First, Write, Written, End time.Duration
	Before, After              int
}

// latencyRow holds the medians of a program for a command.
type latencyRow struct {
	Command, Program           string
	First, Write, Written, End time.Duration
	// Before and After are the requests before the first write, and after it.
	Before, After int
	Runs          int
	// Missed are the goals that were not reached.
	Missed []string
}

// sampleOf reads the times of a run from its output and the API server's audit log.
func sampleOf(e measuring.Ended, requests []audit.Request) latencySample {
	s := latencySample{End: e.Took}
	if len(e.Said) > 0 {
		s.First = e.Said[0].After
	}
	begin := e.At.Add(-e.Took)
	var first time.Time
	for _, r := range requests {
		if !writes(r) {
			continue
		}
		if first.IsZero() || r.Received.Before(first) {
			first = r.Received
		}
		if at := r.Received.Sub(begin); r.Resource == hostedClusters.Resource && (s.Written == 0 || at < s.Written) {
			s.Written = at
		}
	}
	if !first.IsZero() {
		s.Write = first.Sub(begin)
	}
	for _, r := range requests {
		if first.IsZero() || r.Received.Before(first) {
			s.Before++
		} else {
			s.After++
		}
	}
	return s
}

// writes reports whether a request changes something.
func writes(r audit.Request) bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return !r.DryRun() && !strings.HasSuffix(r.Resource, "reviews")
	}
	return false
}

// medians returns the median of each figure.
func medians(samples []latencySample) latencyRow {
	of := func(value func(latencySample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = value(s)
		}
		return measuring.Median(values)
	}
	span := func(value func(latencySample) time.Duration) time.Duration {
		return time.Duration(of(func(s latencySample) float64 { return float64(value(s)) }))
	}
	return latencyRow{
		First:   span(func(s latencySample) time.Duration { return s.First }),
		Write:   span(func(s latencySample) time.Duration { return s.Write }),
		Written: span(func(s latencySample) time.Duration { return s.Written }),
		End:     span(func(s latencySample) time.Duration { return s.End }),
		Before:  int(of(func(s latencySample) float64 { return float64(s.Before) })),
		After:   int(of(func(s latencySample) float64 { return float64(s.After) })),
		Runs:    len(samples),
	}
}

// missed returns the goals that a row does not reach. Times count only at goalRoundTrip.
func (c latencyCommand) missed(r latencyRow, roundTrip time.Duration) []string {
	var out []string
	took, what := r.End, "end"
	if c.Written {
		took, what = r.Written, "HostedCluster written"
	}
	if c.Goal > 0 && roundTrip == goalRoundTrip && took > c.Goal {
		out = append(out, fmt.Sprintf("%s at most %s s", what, seconds(c.Goal)))
	}
	if c.Before != noLimit && r.Before > c.Before {
		out = append(out, fmt.Sprintf("at most %d requests before the first write", c.Before))
	}
	if c.After != noLimit && r.After > c.After {
		out = append(out, fmt.Sprintf("at most %d requests from the first write on", c.After))
	}
	if c.Total != noLimit && r.Before+r.After > c.Total {
		out = append(out, fmt.Sprintf("at most %d requests", c.Total))
	}
	return out
}

// seconds formats a duration for a table, "" for none.
func seconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", d.Seconds())
}

// String returns the row in one line.
func (r latencyRow) String() string {
	text := fmt.Sprintf("%s, %s: first line %s, first write %s, HostedCluster %s, end %s s, %d + %d requests", r.Command,
		r.Program, cmp.Or(seconds(r.First), "-"), cmp.Or(seconds(r.Write), "-"), cmp.Or(seconds(r.Written), "-"),
		seconds(r.End), r.Before, r.After)
	if len(r.Missed) > 0 {
		text += "; missed: " + strings.Join(r.Missed, ", ")
	}
	return text
}

// latencyTable returns the rows in Markdown, with the ratio to the program named "hcctl before".
func latencyTable(roundTrip time.Duration, rows []latencyRow) string {
	before := map[string]latencyRow{}
	for _, r := range rows {
		if r.Program == contenderBefore {
			before[r.Command] = r
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Round trip %s added; seconds, medians.\n\n", roundTrip)
	b.WriteString("| command | program | first line | first write | HostedCluster written | end | requests before the " +
		"first write | from then on | end: new over old | goals |\n" + strings.Repeat("| --- ", 10) + "|\n")
	for _, r := range rows {
		ratio, goals := "", ""
		if old, ok := before[r.Command]; ok && r.Program == contenderNow && old.End > 0 {
			ratio = fmt.Sprintf("%.2f", r.End.Seconds()/old.End.Seconds())
		}
		if len(r.Missed) > 0 {
			goals = "**missed: " + strings.Join(r.Missed, "; ") + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d | %d | %s | %s |\n", r.Command, r.Program, seconds(r.First),
			seconds(r.Write), seconds(r.Written), seconds(r.End), r.Before, r.After, ratio, goals)
	}
	return b.String()
}
