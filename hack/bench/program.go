package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// ended is the result of a program's run.
type ended struct {
	took time.Duration
	// at is when it ended.
	at time.Time
	// resident is its maximum resident memory in MB.
	resident float64
	stdout   []byte
	stderr   []byte
}

// run runs a program to its end, without input and with this environment. A non-zero exit code is an error with the
// program's output.
func run(ctx context.Context, env []string, program string, args ...string) (ended, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	err := cmd.Run()
	e := ended{at: time.Now(), took: time.Since(begin), stdout: out.Bytes(), stderr: errs.Bytes()}
	if err != nil {
		return e, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err,
			lastLines(out.String()+errs.String(), 20))
	}
	e.resident = resident(cmd.ProcessState)
	return e, nil
}

// resident returns the maximum resident memory of the ended process in MB. Linux counts in KiB.
func resident(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * 1024 / 1e6
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
