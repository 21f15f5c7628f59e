// Package sandbox runs hcctl-sandbox as a process, for tests and benchmarks. It does not depend on the sandbox's
// content.
package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// StartTime is the maximum time of a start. The sandbox promises 10 s on an idle machine, but tests share theirs.
	StartTime = 5 * time.Minute
	// stopTime is the maximum time of a stop: the promised 5 s, and more for a busy machine.
	stopTime = 15 * time.Second
)

// Process is a running sandbox.
type Process struct {
	// Kubeconfig is the path of its admin kubeconfig.
	Kubeconfig string
	// Ready is the duration of the start.
	Ready time.Duration

	cmd    *exec.Cmd
	output log
	ready  chan string
	ended  chan struct{}
}

// Find returns the sandbox program: HCCTL_SANDBOX_BIN, else bin/hcctl-sandbox in the repository around the working
// directory. If it is missing, the error has the command to build it.
func Find() (string, error) {
	program := os.Getenv("HCCTL_SANDBOX_BIN")
	if program == "" {
		root, err := repository()
		if err != nil {
			return "", err
		}
		program = filepath.Join(root, "bin", "hcctl-sandbox")
	}
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("no sandbox to test against: %w; run: make sandbox", err)
	}
	return program, nil
}

// repository returns the nearest parent directory of the working directory with a LICENSE file, which is the root of
// hcctl.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "LICENSE")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("not inside the repository")
}

// Launch starts the program in dir with further flags, such as "--profile", "ready", and returns when it is ready; ctx
// limits only the start. On Linux the sandbox ends with this process.
func Launch(ctx context.Context, program, dir string, flags ...string) (*Process, error) {
	p := &Process{ready: make(chan string, 1), ended: make(chan struct{})}
	p.cmd = exec.Command(
		program,
		append([]string{"start", "--dir", dir}, flags...)...) //nolint:noctx // the caller's program; Stop ends it
	p.cmd.Stderr = &p.output
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := start(p.cmd, p.ended, func() { p.read(bufio.NewScanner(stdout)) }); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	select {
	case path, ok := <-p.ready:
		if !ok {
			return nil, fmt.Errorf("the sandbox ended before it was ready:\n%s", p.Log())
		}
		p.Kubeconfig, p.Ready = path, time.Since(begin)
		return p, nil
	case <-ctx.Done():
		return nil, errors.Join(
			fmt.Errorf("the sandbox was not ready after %s: %w\n%s", time.Since(begin).Round(time.Second), ctx.Err(), p.Log()),
			p.Stop(),
		)
	}
}

// read reads the sandbox's standard output to its end. The only expected line is written when the sandbox is ready.
func (p *Process) read(lines *bufio.Scanner) {
	defer close(p.ready)
	for lines.Scan() {
		if path, ok := strings.CutPrefix(lines.Text(), "ready: "); ok {
			p.ready <- path
			continue
		}
		_, _ = fmt.Fprintf(&p.output, "unexpected on stdout: %s\n", lines.Text())
	}
}

// Stop ends the sandbox with SIGTERM. It returns an error if that takes longer than stopTime, and may be called twice.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopTime):
		_ = p.cmd.Process.Kill()
		<-p.ended
		return fmt.Errorf("the sandbox had not ended %s after SIGTERM", stopTime)
	}
}

// Audit returns the path of the audit log of a sandbox with --audit.
func (p *Process) Audit() string {
	return filepath.Join(filepath.Dir(p.Kubeconfig), "logs", "audit.log")
}

// CPUTime returns the CPU time of the sandbox and its children. It is 0 while the sandbox runs.
func (p *Process) CPUTime() time.Duration {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	default:
		return 0
	}
}

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed when the sandbox has ended. Log then has the reason.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// maxLog is the maximum number of lines of Log.
const maxLog = 40

// Log returns the end of the sandbox's stderr, or the part from a crash on. If the sandbox has ended, the last line has
// its exit status.
func (p *Process) Log() string {
	lines := strings.Split(strings.TrimSpace(p.output.String()), "\n")
	first := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
	if first < 0 {
		first = max(0, len(lines)-maxLog)
	}
	lines = lines[first:min(len(lines), first+maxLog)]
	select {
	case <-p.ended:
		lines = append(lines, fmt.Sprintf("(the sandbox has ended: %s)", p.cmd.ProcessState))
	default:
	}
	return strings.Join(lines, "\n")
}

// log is a buffer that is safe for concurrent use.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String returns everything written so far.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
