// Package sandboxtest runs a sandbox for tests that need a real API server.
package sandboxtest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startTimeout is generous: on a busy machine a sandbox takes longer than the 10 s it promises.
const startTimeout = 2 * time.Minute

// Sandbox is a running sandbox.
type Sandbox struct {
	// Kubeconfig is the path of its admin kubeconfig.
	Kubeconfig string
	// Dir is its folder; logs are in Dir/logs.
	Dir string

	process *os.Process
	ended   chan struct{}
}

// Binary is the sandbox's binary: HCCTL_SANDBOX_BIN, else bin/hcctl-sandbox of this repository. A missing one fails the
// test: a test that cannot run has not passed.
func Binary(t testing.TB) string {
	t.Helper()
	bin := os.Getenv("HCCTL_SANDBOX_BIN")
	if bin == "" {
		bin = filepath.Join(root(t), "bin", "hcctl-sandbox")
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("no sandbox to test against: %v; run: make sandbox", err)
	}
	return bin
}

// root is the repository: the folder above that has the LICENSE.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "LICENSE")); err == nil {
			return dir
		}
	}
	t.Fatal("not inside the repository")
	return ""
}

// Start runs a sandbox with further flags, such as "--profile", "ready", and waits until it is ready. It is stopped with the test.
func Start(t testing.TB, flags ...string) *Sandbox {
	t.Helper()
	s := &Sandbox{Dir: t.TempDir(), ended: make(chan struct{})}
	cmd := exec.Command(Binary(t), append([]string{"start", "--dir", s.Dir}, flags...)...) //nolint:noctx // our own binary; stopped by Stop
	stderr := &strings.Builder{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.process = cmd.Process
	ready := make(chan string, 1)
	go func() {
		defer close(s.ended)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if path, ok := strings.CutPrefix(lines.Text(), "ready: "); ok {
				ready <- path
			}
		}
		_ = cmd.Wait()
		close(ready)
	}()
	t.Cleanup(s.Stop)
	select {
	case path, ok := <-ready:
		if !ok {
			t.Fatalf("the sandbox did not start: %s", stderr)
		}
		s.Kubeconfig = path
	case <-time.After(startTimeout):
		t.Fatalf("the sandbox was not ready after %s; its logs are in %s", startTimeout, s.Dir)
	}
	return s
}

// Stop ends the sandbox and waits until it is gone. It may be called twice.
func (s *Sandbox) Stop() {
	_ = s.process.Signal(syscall.SIGTERM)
	<-s.ended
}
