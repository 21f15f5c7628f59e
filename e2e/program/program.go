// Package program runs hcctl as a process for tests, in its own home, and ends it like a user, a shell or a kernel.
package program

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// longest bounds one run: nothing in a sandbox takes so long.
const longest = 10 * time.Minute

// Program is hcctl with the surroundings it is run in.
type Program struct {
	// Path of the program, from HCCTL_BIN.
	Path string
	// Kubeconfig in use; empty means none.
	Kubeconfig string
	// Dir is the working directory, Home the home, Temp the directory for temporary files: all the test's own.
	Dir, Home, Temp string
	// Server is the cluster's; no run goes on when it has ended. nil is one that is not watched.
	Server Server

	mu sync.Mutex
	// told is all that any run has written.
	told strings.Builder
}

// Server is a cluster's process.
type Server interface {
	// Ended is closed when it has ended.
	Ended() <-chan struct{}
	// Log is the last that it wrote.
	Log() string
}

// New is hcctl against the cluster of a kubeconfig. The test fails if HCCTL_BIN names no program.
func New(t *testing.T, kubeconfig string) *Program {
	t.Helper()
	path := os.Getenv("HCCTL_BIN")
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("HCCTL_BIN=%q names no program: run make build, and the tests by make", path)
	}
	p := &Program{Path: path, Kubeconfig: kubeconfig}
	for _, dir := range []*string{&p.Dir, &p.Home, &p.Temp} {
		*dir = t.TempDir()
	}
	return p
}

// Ended is a run that is over.
type Ended struct {
	// Code is the exit code; -1 if Signal ended it.
	Code   int
	Signal syscall.Signal
	// Out and Err are what it wrote.
	Out, Err string
	// Took is the time it ran.
	Took time.Duration
}

// String is for messages of tests.
func (e Ended) String() string {
	how := fmt.Sprintf("exit code %d", e.Code)
	if e.Code < 0 {
		how = "ended by " + e.Signal.String()
	}
	return fmt.Sprintf(
		"%s after %s\nstdout:\n%s\nstderr:\n%s", how, e.Took.Round(time.Millisecond), end(e.Out), end(e.Err),
	)
}

// end is the last of a long text.
func end(s string) string {
	const most = 3000
	if len(s) > most {
		return "..." + s[len(s)-most:]
	}
	return s
}

// Command is the program with its arguments, in its surroundings, for a test that has streams of its own for it.
func (p *Program) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.Path, args...) //nolint:noctx // Running ends it
	cmd.Dir = p.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "TMPDIR=" + p.Temp, "NO_COLOR=1"}
	if p.Kubeconfig != "" {
		cmd.Env = append(cmd.Env, "KUBECONFIG="+p.Kubeconfig)
	}
	return cmd
}

// Run runs it to its end.
func (p *Program) Run(t *testing.T, args ...string) Ended {
	t.Helper()
	return p.Start(t, args...).Wait(t)
}

// Must runs it to its end, which has to be good.
func (p *Program) Must(t *testing.T, args ...string) Ended {
	t.Helper()
	e := p.Run(t, args...)
	if e.Code != 0 {
		t.Fatalf("hcctl %s: %s", strings.Join(args, " "), e)
	}
	return e
}

// Start starts it.
func (p *Program) Start(t *testing.T, args ...string) *Running {
	t.Helper()
	return p.StartCommand(t, p.Command(args...))
}

// StartCommand starts a Command, whose streams are kept where the test has none of its own.
func (p *Program) StartCommand(t *testing.T, cmd *exec.Cmd) *Running {
	t.Helper()
	r := &Running{program: p, cmd: cmd, begun: time.Now(), over: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = &r.out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &r.err
	}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r.failed = cmd.Wait()
		r.ended = time.Now()
		close(r.over)
	}()
	t.Cleanup(func() { r.Kill() })
	return r
}

// Told is all that the runs so far have written, for a search.
func (p *Program) Told() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told.String()
}

// Left are the files below Dir, Home and Temp.
func (p *Program) Left(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, dir := range []string{p.Dir, p.Home, p.Temp} {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err == nil && path != dir {
				left = append(left, strings.TrimPrefix(path, dir+"/"))
			}
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return left
}

// Running is a run that goes on.
type Running struct {
	program    *Program
	cmd        *exec.Cmd
	out, err   buffer
	begun      time.Time
	ended      time.Time
	failed     error
	over       chan struct{}
	remembered sync.Once
}

// Signal sends a signal; to a run that is over it does nothing.
func (r *Running) Signal(s syscall.Signal) { _ = r.cmd.Process.Signal(s) }

// Kill ends it with SIGKILL and waits until it is no more.
func (r *Running) Kill() {
	_ = r.cmd.Process.Kill()
	<-r.over
}

// Over is closed when it has ended.
func (r *Running) Over() <-chan struct{} { return r.over }

// Err is what it has written to stderr so far.
func (r *Running) Err() string { return r.err.String() }

// Wait waits for its end. A run that does not end, or whose server has ended, fails the test.
func (r *Running) Wait(t *testing.T) Ended {
	t.Helper()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	e := Ended{Out: r.out.String(), Err: r.err.String(), Took: r.ended.Sub(r.begun)}
	var exit *exec.ExitError
	if r.failed != nil && !errors.As(r.failed, &exit) && !errors.Is(r.failed, exec.ErrWaitDelay) {
		t.Fatal(r.failed)
	}
	e.Code = r.cmd.ProcessState.ExitCode()
	if status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal()
	}
	r.remembered.Do(func() {
		r.program.mu.Lock()
		defer r.program.mu.Unlock()
		_, _ = io.WriteString(&r.program.told, e.Out+e.Err)
	})
	return e
}

// wait kills a run that it gives up.
func (r *Running) wait() error {
	var serverEnded <-chan struct{}
	if r.program.Server != nil {
		serverEnded = r.program.Server.Ended()
	}
	args := strings.Join(r.cmd.Args, " ")
	select {
	case <-r.over:
		return nil
	case <-serverEnded:
		r.Kill()
		return fmt.Errorf("the sandbox has ended, and %s was running:\n%s\nthe sandbox wrote:\n%s", args,
			end(r.err.String()), r.program.Server.Log())
	case <-time.After(longest):
		r.Kill()
		return fmt.Errorf("%s has not ended after %s:\n%s", args, longest, end(r.err.String()))
	}
}

// buffer can be written and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String is all that was written so far.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
