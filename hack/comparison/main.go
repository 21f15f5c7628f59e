// Command comparison compares hcctl with what people use today, alternating on the same sandboxes: the vendor's hcp,
// and the commands that a user types by hand. It writes comparison.json and comparison.md into a directory, and ends
// with exit code 1 if something could not be measured, 2 for wrong flags. With -docs it measures nothing: it writes a
// document's figures.
//
// Everything stays on loopback: no program can reach the internet.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// wholeLimit is the time limit of the whole comparison.
const wholeLimit = 45 * time.Minute

func main() { measuring.Main(called) }

func called(ctx context.Context, args []string) int {
	c := &comparison{}
	flags := flag.NewFlagSet("comparison", flag.ContinueOnError)
	flags.StringVar(&c.hcctl, "hcctl", "bin/hcctl", "the hcctl `program`")
	flags.StringVar(&c.hcp, "hcp", "bin/hcp", "the vendor's `program`")
	flags.StringVar(&c.kubectl, "kubectl", "bin/kubectl", "the kubectl `program`")
	flags.StringVar(&c.sandbox, "sandbox", "bin/hcctl-sandbox", "the sandbox `program`")
	flags.StringVar(&c.flags, "flags", "pkg/hostedcluster/objects/testdata/flags",
		"`directory` with an example of each flag")
	flags.IntVar(&c.runs, "runs", 3,
		"how often clusters are created by each, in turn; what takes a moment is run ten times as often")
	flags.StringVar(&c.speed, "speed", "10", "by what the sandbox divides its operators' delays")
	flags.DurationVar(&c.patience, "patience", 65*time.Second, "how long each may take to tell what is broken")
	only := flags.String("only", "", "measure only these `groups`, with commas in between: "+strings.Join(groups(), ", "))
	out := flags.String("out", "bin/bench", "`directory` for the results")
	docs := flags.String("docs", "", "measure nothing, write the figures of this `document` from the results")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, err := measuring.Choose(*only, groups())
	if err != nil || c.runs < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr,
			"comparison: -runs has to be at least 1, -only has to name groups, and there are no arguments;", err)
		return 2
	}
	if *docs != "" {
		return failed(rewriteDocument(*docs, *out))
	}
	ctx, cancel := context.WithTimeout(ctx, wholeLimit)
	defer cancel()
	return c.whole(ctx, chosen, *out)
}

// whole measures the groups and writes the results.
func (c *comparison) whole(ctx context.Context, chosen []string, out string) int {
	r := &results{Machine: measuring.ThisMachine(), Commit: measuring.Git("describe", "--tags", "--always", "--dirty"),
		Date: time.Now().UTC().Format("2006-01-02 15:04"), Speed: c.speed}
	code := 0
	for _, f := range families() {
		if !slices.Contains(chosen, f.group) {
			continue
		}
		begin := time.Now()
		if err := f.run(c, ctx); err != nil {
			code = failed(fmt.Errorf("%s: %w", f.group, err))
			r.Errors = append(r.Errors, f.group+": "+err.Error())
		}
		fmt.Fprintf(os.Stderr, "# %s took %s\n", f.group, time.Since(begin).Round(time.Second))
	}
	r.Figures, r.Facts = c.figures, c.facts
	if err := r.keep(out, chosen); err != nil {
		return failed(err)
	}
	if err := r.write(out); err != nil {
		return failed(err)
	}
	fmt.Print(r.markdown())
	return code
}

func failed(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "comparison:", err)
	return 1
}
