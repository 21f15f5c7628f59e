// Command bench measures hcctl as a whole process: one figure a line, with the command it belongs to and the limit the project
// has set itself. It ends with exit code 1 if a limit is passed.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hcctl/hcctl/internal/sandbox"
)

const (
	runs       = 10
	wholeLimit = 10 * time.Minute
)

// figure is one line of the result. Value and limit have the same unit.
type figure struct {
	what  string
	value float64
	limit float64
	unit  string
}

func main() {
	hcctl := flag.String("hcctl", "bin/hcctl", "the hcctl program")
	program := flag.String("sandbox", "bin/hcctl-sandbox", "the sandbox program")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), wholeLimit)
	defer cancel()
	over, err := bench(ctx, *hcctl, *program)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	if over || err != nil {
		os.Exit(1) //nolint:gocritic // nothing is left to cancel
	}
}

// bench prints every figure and tells whether one is over its limit.
func bench(ctx context.Context, hcctl, program string) (bool, error) {
	over := false
	tell := func(figures ...figure) {
		for _, f := range figures {
			fmt.Printf("%-42s %8.1f %-3s (limit %g)\n", f.what, f.value, f.unit, f.limit)
			over = over || f.value > f.limit
		}
	}
	info, err := os.Stat(hcctl)
	if err != nil {
		return over, err
	}
	tell(figure{"size of hcctl", float64(info.Size()) / 1e6, 45, "MB"})
	took, peak, err := measure(ctx, nil, hcctl, "version")
	if err != nil {
		return over, err
	}
	tell(figure{"hcctl version: median time", ms(took), 40, "ms"}, figure{"hcctl version: most memory resident", peak, 40, "MB"})

	env, ready, stop, err := startSandbox(ctx, program)
	if err != nil {
		return over, err
	}
	defer stop()
	tell(figure{"hcctl-sandbox start: ready after", ms(ready), 10_000, "ms"})
	took, peak, err = measure(ctx, env, hcctl, "check")
	if err != nil {
		return over, err
	}
	tell(figure{"hcctl check, all ready: median time", ms(took), 1000, "ms"}, figure{"hcctl check, all ready: most memory resident", peak, 100, "MB"})
	stop()
	own, err := bootstrapShare(ctx, hcctl, program)
	if err != nil {
		return over, err
	}
	tell(own...)
	return over, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measure runs a command several times, one after the other: the median time, and the most memory it had resident, in MB.
func measure(ctx context.Context, env []string, program string, args ...string) (time.Duration, float64, error) {
	times := make([]time.Duration, 0, runs)
	most := 0.0
	for range runs {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = append(os.Environ(), env...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			return 0, 0, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, &out)
		}
		times = append(times, time.Since(begin))
		most = max(most, resident(cmd.ProcessState))
	}
	slices.Sort(times)
	return times[runs/2], most, nil
}

// resident is the most memory the ended process had resident, in MB. Linux counts it in KiB.
func resident(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * 1024 / 1e6
}

// startSandbox starts one with everything in place. It returns the environment that leads to it, the time it took to be ready,
// and what ends it.
func startSandbox(ctx context.Context, program string) ([]string, time.Duration, func(), error) {
	dir, err := os.MkdirTemp("", "hcctl-bench")
	if err != nil {
		return nil, 0, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sandbox.StartTime)
	defer cancel()
	s, err := sandbox.Launch(ctx, program, dir, "--profile", "ready", "--speed", "10")
	if err != nil {
		return nil, 0, nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() { _ = errors.Join(s.Stop(), os.RemoveAll(dir)) }
	return []string{"KUBECONFIG=" + s.Kubeconfig}, s.Ready, stop, nil
}
