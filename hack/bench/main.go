// Command bench measures hcctl as a whole process: each figure next to the target the project has set itself. It writes
// results.json and index.html, a page of charts, into a directory. It ends with exit code 1 if something could not be
// measured or a target was missed, 2 if it was called wrongly.
//
// With -docs it measures nothing: it writes a document's figures from the results. What needs no cluster (start, size)
// is measured by the Go benchmarks of cmd/hcctl.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// wholeLimit is the time limit of the whole bench, without -waiting.
const wholeLimit = 30 * time.Minute

const usualRuns = 20

func main() { measuring.Main(called) }

// called runs the bench with these arguments and returns the exit code.
func called(ctx context.Context, args []string) int {
	b := &bench{progress: os.Stderr, samples: map[string][]float64{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.hcctl, "hcctl", "bin/hcctl", "the hcctl `program`")
	flags.StringVar(&b.sandbox, "sandbox", "bin/hcctl-sandbox", "the sandbox `program`")
	flags.StringVar(&b.kubectl, "kubectl", "", "the kubectl `program` to compare lists with (default: that of PATH; "+
		"without "+
		"one, nothing is compared)")
	flags.IntVar(&b.runs, "runs", usualRuns, "how often what takes a moment is repeated")
	flags.DurationVar(&b.waiting, "waiting", 90*time.Second, "how long requests are counted while hcctl waits; 20m "+
		"counts all that is told else by reckoning")
	only := flags.String("only", "", "measure only these `groups`, with commas in between: "+strings.Join(groups(), ", "))
	out := flags.String("out", "bin/bench", "`directory` for results.json and index.html; what it has of the same commit "+
		"and machine is kept for groups that are not measured")
	commit := flags.String("commit", "", "what was measured (default: what git describes)")
	date := flags.String("date", "", "when it was measured (default: now, in UTC)")
	l := &latencyBench{Progress: os.Stderr}
	flags.DurationVar(&l.RoundTrip, "latency", 0, "measure commands alone, over a line that adds this `round trip`: "+
		"latency.json and latency.md")
	old := flags.String("old", "", "with -latency: an earlier hcctl `program` to run in turn with this one")
	hcp := flags.String("hcp", "bin/hcp", "with -latency: the vendor's `program`, which is left out if it is missing")
	commands := flags.String("commands", "", "with -latency: only these `commands`, with commas in between")
	docs := flags.String("docs", "", "measure nothing, write the table in this `document` anew from the results")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, err := measuring.Choose(*only, groups())
	if err != nil || b.runs < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench: -runs has to be at least 1, -only has to name groups, and there are no arguments;",
			err)
		return 2
	}
	if b.kubectl == "" {
		// Without kubectl those measures are left out.
		b.kubectl, _ = exec.LookPath("kubectl")
	}
	ctx, cancel := context.WithTimeout(ctx, wholeLimit+b.waiting)
	defer cancel()
	if l.RoundTrip > 0 {
		l.Runs, l.Programs = min(b.runs, latencyRuns), contenders(b.hcctl, *old, b.kubectl, *hcp)
		if *commands != "" {
			l.Only = strings.Split(*commands, ",")
		}
		return b.latency(ctx, l, *out)
	}
	if *docs == "" {
		r := &results{Machine: measuring.ThisMachine(), Commit: cmp.Or(*commit, measuring.Git("describe", "--tags",
			"--always", "--dirty")),
			Date: cmp.Or(*date, time.Now().UTC().Format("2006-01-02 15:04"))}
		return b.whole(ctx, r, chosen, *out)
	}
	if err := rewriteDocument(*docs, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// whole measures, prints and writes the results.
func (b *bench) whole(ctx context.Context, r *results, chosen []string, out string) int {
	earlier, err := readResults(out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	figures, errs := b.measure(ctx, chosen)
	r.Figures, r.Series = figures, b.series
	for _, err := range errs {
		r.Errors = append(r.Errors, err.Error())
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	printFigures(os.Stdout, figures)
	missed := r.missed()
	r.keep(earlier, chosen)
	if err := r.write(out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	fmt.Printf("%d figures, %d targets missed; %s\n", len(figures), len(missed), r.Machine)
	if len(missed) > 0 || len(errs) > 0 {
		return 1
	}
	return 0
}
