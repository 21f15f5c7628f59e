package measuring

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Ended is the result of a program's run.
type Ended struct {
	Took time.Duration
	// At is the time of its end.
	At time.Time
	// Resident is its maximum resident memory in MB.
	Resident float64
	// Exit is its exit code.
	Exit   int
	Stdout []byte
	Stderr []byte
	// Said are the lines of both streams, in the order in which they came.
	Said []Line
}

// Line is a line of output with its time after the start.
type Line struct {
	After time.Duration
	Text  string
}

// Run runs a program to its end, without input and with this environment beside the caller's. A non-zero exit code is
// an error with the program's output; the result is valid all the same.
func Run(ctx context.Context, env []string, program string, args ...string) (Ended, error) {
	return Feed(ctx, env, "", program, args...)
}

// Feed is Run with this input.
func Feed(ctx context.Context, env []string, input, program string, args ...string) (Ended, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	s := &said{begin: time.Now()}
	out, errs := &stream{said: s}, &stream{said: s}
	cmd.Stdout, cmd.Stderr = out, errs
	err := cmd.Run()
	e := Ended{At: time.Now(), Took: time.Since(s.begin), Stdout: out.all.Bytes(), Stderr: errs.all.Bytes(),
		Said: s.lines}
	if cmd.ProcessState != nil {
		e.Resident, e.Exit = ResidentOf(cmd.ProcessState), cmd.ProcessState.ExitCode()
	}
	if err != nil {
		return e, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err,
			lastLines(out.all.String()+errs.all.String(), 20))
	}
	return e, nil
}

type said struct {
	begin time.Time
	mu    sync.Mutex
	lines []Line
}

// stream is stdout or stderr.
type stream struct {
	said *said
	all  bytes.Buffer
	// half is the beginning of a line without its end.
	half string
}

func (s *stream) Write(p []byte) (int, error) {
	s.all.Write(p)
	lines := strings.Split(s.half+string(p), "\n")
	s.half = lines[len(lines)-1]
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	for _, text := range lines[:len(lines)-1] {
		s.said.lines = append(s.said.lines, Line{time.Since(s.said.begin), text})
	}
	return len(p), nil
}

// ResidentOf returns the maximum resident memory of the ended process in MB. Linux counts in KiB.
func ResidentOf(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * 1024 / 1e6
}

// Ms returns a duration in milliseconds.
func Ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Main runs a measuring program with its arguments until it ends or a signal stops it, and exits with its code.
func Main(run func(ctx context.Context, args []string) int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// Choose parses a flag -only: groups with commas in between, none for all.
func Choose(only string, groups []string) ([]string, error) {
	if only == "" {
		return groups, nil
	}
	chosen := strings.Split(only, ",")
	for _, g := range chosen {
		if !slices.Contains(groups, g) {
			return nil, fmt.Errorf("no group %q; there are %s", g, strings.Join(groups, ", "))
		}
	}
	return chosen, nil
}
