package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// bench is the state that the families share: the programs, the numbers of runs, and the results.
type bench struct {
	hcctl, sandbox string
	// kubectl is the program to compare with, or "".
	kubectl string
	// runs is the number of repetitions of short measurements.
	runs int
	// waiting is how long requests are counted while hcctl waits.
	waiting  time.Duration
	progress io.Writer

	testbeds testbeds
	samples  map[string][]float64
	series   []series
}

// family measures one group, or the part of it that needs the same sandbox.
type family struct {
	group string
	run   func(*bench, context.Context) error
}

// families share sandboxes as far as possible in this order. hcctl bootstrap comes last, because it takes longest.
func families() []family {
	return []family{
		{"create", (*bench).create},
		{"reaction", (*bench).reaction},
		{"waiting", (*bench).requestsWhileWaiting},
		{"check", (*bench).checkReady},
		{"get", (*bench).getOne},
		{"get", (*bench).getHundred},
		{"get", (*bench).getThousand},
		{"get", (*bench).getMany},
		{"check", (*bench).checkThousand},
		{"watch", (*bench).watchThousand},
		{"watch", (*bench).fleetWait},
		{"fleet", (*bench).fleet},
		{"broken", (*bench).brokenThousand},
		{"broken", (*bench).brokenFiveThousand},
		{"bootstrap", (*bench).bootstrap},
	}
}

// groups returns the values of -only.
func groups() []string {
	var out []string
	for _, f := range families() {
		if !slices.Contains(out, f.group) {
			out = append(out, f.group)
		}
	}
	return out
}

// record stores one run's value of a measure.
func (b *bench) record(id string, value float64) {
	b.samples[id] = append(b.samples[id], value)
}

// measure runs the families of the groups. A failed family does not stop the others, and a measure without a value is
// an error.
func (b *bench) measure(ctx context.Context, only []string) ([]figure, []error) {
	var errs []error
	failed := map[string]bool{}
	for _, f := range families() {
		if !slices.Contains(only, f.group) || failed[f.group] {
			continue
		}
		begin := time.Now()
		err := f.run(b, ctx)
		_, _ = fmt.Fprintf(b.progress, "# %s: %s\n", f.group, time.Since(begin).Round(100*time.Millisecond))
		if err != nil {
			failed[f.group] = true
			errs = append(errs, fmt.Errorf("%s: %w", f.group, err))
		}
	}
	b.testbeds.stop()
	var figures []figure
	known := map[string]bool{}
	for _, m := range measures() {
		known[m.ID] = true
		if !slices.Contains(only, m.Group) || b.kubectl == "" && strings.Contains(m.ID, ".kubectl.") {
			continue
		}
		if runs := b.samples[m.ID]; len(runs) > 0 {
			figures = append(figures, judge(m, runs))
		} else if !failed[m.Group] {
			errs = append(errs, fmt.Errorf("%s: nothing was measured", m.ID))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.samples)) {
		if !known[id] {
			errs = append(errs, fmt.Errorf("%s is measured, and is in no table of measures", id))
		}
	}
	return figures, errs
}

// printFigures prints the figures, one per line.
func printFigures(w io.Writer, figures []figure) {
	for _, f := range figures {
		verdict := ""
		if f.Target != nil {
			verdict = "target " + f.Target.In(f.Unit)
			if !*f.Met {
				verdict += "  MISSED"
			}
		}
		spread := ""
		if len(f.Runs) > 1 {
			spread = fmt.Sprintf("(%s to %s, %d runs)", measuring.Number(f.Min), measuring.Number(f.Max), len(f.Runs))
		}
		_, _ = fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-68s %7s %-10s %-28s %s", f.What,
			measuring.Number(f.Judged()), f.Unit,
			spread, verdict), " "))
	}
}
