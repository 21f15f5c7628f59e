package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hcctl/hcctl/internal/sandbox"
)

const (
	// shareSpeed is the pace of the sandbox's operators for the whole bootstrap: 1 is that of OLM's own request limit.
	shareSpeed = "1"
	// shareRange is what MetalLB may give out there.
	shareRange = "127.0.218.32-127.0.218.122"
)

// bootstrapShare runs a whole bootstrap and returns hcctl's own share of its time.
func bootstrapShare(ctx context.Context, hcctl, program string) ([]figure, error) {
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
	fmt.Printf("# bootstrap took %s; critical path: %v\n", own.whole.Round(time.Second), own.path)
	return []figure{
		{"bootstrap: needs ready to first write, worst", worst(own.firstWrites), 100, "ms"},
		{"bootstrap: ready to end of step, worst", worst(own.ends), 100, "ms"},
		{"bootstrap: own share of the critical path", 100 * own.critical.Seconds() / own.whole.Seconds(), 5, "%"},
	}, nil
}

// worst is the longest of sorted delays, told with its step.
func worst(all []delay) float64 {
	if len(all) == 0 {
		return 0
	}
	for _, d := range all[:min(3, len(all))] {
		fmt.Printf("#   %-34s %s\n", d.step, d.took.Round(time.Microsecond))
	}
	return ms(all[0].took)
}
