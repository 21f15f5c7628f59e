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

	"github.com/hcctl/hcctl/internal/sandbox"
)

const (
	// shareSpeed is the pace of the sandbox's operators for the whole bootstrap: 1 is that of OLM's own request limit.
	shareSpeed = "1"
	// shareRuns is how often: one run on two cores that the sandbox fills says little of a tenth of a second.
	shareRuns = 3
	// shareRange is what MetalLB may give out there.
	shareRange = "127.0.218.32-127.0.218.122"
)

// bootstrapShare runs a whole bootstrap several times and returns hcctl's own share of its time: of every step the median, of
// all steps the worst.
func bootstrapShare(ctx context.Context, hcctl, program string) ([]figure, error) {
	firstWrites, ends := map[string][]time.Duration{}, map[string][]time.Duration{}
	var shares []float64
	for range shareRuns {
		own, err := oneBootstrap(ctx, hcctl, program)
		if err != nil {
			return nil, err
		}
		fmt.Printf("# bootstrap took %s; critical path: %s\n", own.whole.Round(time.Second), strings.Join(own.path, " "))
		for _, d := range own.firstWrites {
			firstWrites[d.step] = append(firstWrites[d.step], d.took)
		}
		for _, d := range own.ends {
			ends[d.step] = append(ends[d.step], d.took)
		}
		shares = append(shares, 100*own.critical.Seconds()/own.whole.Seconds())
	}
	slices.Sort(shares)
	return []figure{
		{"bootstrap: needs ready to first write, worst", worst(firstWrites), 100, "ms"},
		{"bootstrap: ready to end of step, worst", worst(ends), 100, "ms"},
		{"bootstrap: own share of the critical path", shares[len(shares)/2], 5, "%"},
	}, nil
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

// worst is the longest of the steps' medians, told with the steps that come next.
func worst(all map[string][]time.Duration) float64 {
	medians := make([]delay, 0, len(all))
	for step, took := range all {
		slices.Sort(took)
		medians = append(medians, delay{step, took[len(took)/2]})
	}
	slices.SortFunc(medians, func(a, b delay) int { return cmp.Compare(b.took, a.took) })
	for _, d := range medians[:min(3, len(medians))] {
		fmt.Printf("#   %-34s %s (median of %d)\n", d.step, d.took.Round(time.Microsecond), len(all[d.step]))
	}
	if len(medians) == 0 {
		return 0
	}
	return ms(medians[0].took)
}
