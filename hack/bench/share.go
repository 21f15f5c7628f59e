package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/sandbox"
)

const (
	// shareSpeed is the speed of the sandbox's operators during the bootstrap: 1 is the real speed with OLM's request
	// limit.
	shareSpeed = "1"
	// shareRuns is the number of runs: on two busy cores a single run cannot show tenths of a second.
	shareRuns = 3
	// shareRange are the addresses for MetalLB.
	shareRange = "127.0.218.32-127.0.218.122"
)

// bootstrap runs a whole bootstrap several times and records hcctl's own share of the time: per step the median, and
// each run's share.
func (b *bench) bootstrap(ctx context.Context) error {
	b.testbeds.stop()
	firstWrites, ends := map[string][]float64{}, map[string][]float64{}
	for range min(b.runs, shareRuns) {
		own, err := oneBootstrap(ctx, b.hcctl, b.sandbox)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(b.progress, "# bootstrap took %s; critical path: %s\n", own.whole.Round(time.Second),
			strings.Join(own.path, " "))
		for _, d := range own.firstWrites {
			firstWrites[d.step] = append(firstWrites[d.step], measuring.Ms(d.took))
		}
		for _, d := range own.ends {
			ends[d.step] = append(ends[d.step], measuring.Ms(d.took))
		}
		b.record("bootstrap.share", 100*own.critical.Seconds()/own.whole.Seconds())
		b.record("bootstrap.whole", own.whole.Seconds())
	}
	for _, of := range []struct {
		id, title string
		steps     map[string][]float64
	}{
		{"bootstrap.write", "hcctl bootstrap: from needs ready to first write (median of each step)", firstWrites},
		{"bootstrap.end", "hcctl bootstrap: from ready to end of step (median of each step)", ends},
	} {
		slowest := slowestSteps(of.steps, 12)
		if len(slowest) == 0 {
			return fmt.Errorf("no step of the bootstrap was seen to wait")
		}
		b.record(of.id, slowest[0].Y)
		b.series = append(b.series, series{ID: of.id + ".steps", Group: "bootstrap", Title: of.title, Kind: "bars",
			Unit: "ms", Points: slowest})
	}
	return nil
}

func oneBootstrap(ctx context.Context, hcctl, program string) (*share, error) {
	dir, err := os.MkdirTemp("", "hcctl-bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := sandbox.Launch(ctx, program, dir, "--profile", "ocp-4.20", "--speed", shareSpeed)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Stop() }()
	seen, err := newObserver(s.Kubeconfig)
	if err != nil {
		return nil, err
	}
	observing, done := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); seen.run(observing) }()
	defer func() { done(); <-ended }()

	cmd := exec.CommandContext(ctx, hcctl, "bootstrap", "--yes", "-o", "json", "--metallb-range", shareRange)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("hcctl bootstrap: %w\n%s", err, &errs)
	}
	t, err := readTimeline(&out)
	if err != nil {
		return nil, err
	}
	own := ownShare(t, seen.changed)
	return &own, nil
}

// slowestSteps returns the n steps with the highest median.
func slowestSteps(of map[string][]float64, n int) []point {
	var points []point
	for name, runs := range of {
		points = append(points, point{Label: name, Y: measuring.Median(runs)})
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(b.Y, a.Y), cmp.Compare(a.Label, b.Label)) })
	return points[:min(n, len(points))]
}
