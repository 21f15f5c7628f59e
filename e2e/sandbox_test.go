package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

const (
	// startTime is generous: the contract is 10 s on an idle machine, and two scripts share it.
	startTime = time.Minute
	// stopTime is the contract's 5 s and some for a busy machine.
	stopTime = 15 * time.Second
)

// sandbox is a running hcctl-sandbox.
type sandbox struct {
	name   string
	cmd    *exec.Cmd
	output safeBuffer
	// ready receives the kubeconfig's path; it is closed without one if the sandbox ends first.
	ready chan string
	// ended is closed once the process is gone.
	ended chan struct{}
}

// sandboxCommand: sandbox start [--profile P] [--speed N] [NAME] | sandbox stop [NAME] | sandbox resident MIB
//
// start makes a management cluster and points KUBECONFIG at it; resident holds the sandbox and all its children to that much
// memory. With a real cluster they do nothing but that.
func sandboxCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := harnessOf(ts)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: sandbox start [--profile P] [--speed N] [NAME] | sandbox stop [NAME] | sandbox resident MIB")
	}
	name, flags := "mgmt", args[1:]
	if len(flags)%2 == 1 {
		name, flags = flags[len(flags)-1], flags[:len(flags)-1]
	}
	switch args[0] {
	case "start":
		if h.kubeconfig != "" {
			ts.Setenv("KUBECONFIG", h.kubeconfig)
			return
		}
		kubeconfig, err := h.startSandbox(name, flags)
		ts.Check(err)
		ts.Setenv("KUBECONFIG", kubeconfig)
	case "stop":
		s := h.sandboxes[name]
		if s == nil {
			ts.Fatalf("no sandbox %s was started", name)
		}
		ts.Check(s.stop())
	case "resident":
		if h.kubeconfig != "" {
			return
		}
		ts.Check(h.sandboxes["mgmt"].residentUnder(name))
	default:
		ts.Fatalf("unknown: sandbox %s", args[0])
	}
}

func (h *harness) startSandbox(name string, flags []string) (string, error) {
	if h.sandboxes[name] != nil {
		return "", fmt.Errorf("sandbox %s was started already", name)
	}
	dir := filepath.Join(h.work, ".sandbox-"+name)
	s := &sandbox{name: name, ready: make(chan string, 1), ended: make(chan struct{})}
	args := append([]string{"start", "--dir", dir}, flags...)
	if !strings.Contains(strings.Join(flags, " "), "--speed") {
		args = append(args, "--speed", "10")
	}
	s.cmd = exec.Command(h.sandboxProgram, args...)
	s.cmd.Stderr = &s.output
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := start(s.cmd, s.ended, func() { s.read(bufio.NewScanner(stdout)) }); err != nil {
		return "", fmt.Errorf("start sandbox: %w", err)
	}
	h.sandboxes[name] = s
	select {
	case kubeconfig, ok := <-s.ready:
		if !ok {
			return "", fmt.Errorf("sandbox %s ended before it was ready:\n%s", name, s.tail())
		}
		return kubeconfig, nil
	case <-time.After(startTime):
		return "", fmt.Errorf("sandbox %s was not ready after %s:\n%s", name, startTime, s.tail())
	}
}

// read takes the sandbox's standard output to its end: exactly one line, when it is ready.
func (s *sandbox) read(lines *bufio.Scanner) {
	defer close(s.ready)
	for lines.Scan() {
		if path, ok := strings.CutPrefix(lines.Text(), "ready: "); ok {
			s.ready <- path
			continue
		}
		_, _ = fmt.Fprintf(&s.output, "unexpected on stdout: %s\n", lines.Text())
	}
}

// stop ends the sandbox as a person would and holds it to its contract.
func (s *sandbox) stop() error {
	select {
	case <-s.ended:
		return nil
	default:
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopTime):
		_ = s.cmd.Process.Kill()
		<-s.ended
		return fmt.Errorf("had not ended %s after SIGTERM", stopTime)
	}
}

// tail is the end of what the sandbox wrote to stderr.
func (s *sandbox) tail() string {
	lines := strings.Split(strings.TrimSpace(s.output.String()), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

// safeBuffer can be written and read at once.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is all that was written so far.
func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
