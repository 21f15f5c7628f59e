package chaos

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
)

// streams checks hcctl with output that nobody reads, or that it cannot write.
func streams(t *testing.T, w *world.World) {
	w.Direct.Must(t, "create", "cluster", "--name", "kv-00", "--yes", "--pull-secret", w.PullSecret, "--wait", "none")
	for _, args := range [][]string{
		{"--help"}, {"help", "create", "cluster"}, {"version", "-o", "json"}, {"config", "init"}, {"completion", "bash"},
		{"get", "clusters", "-o", "json"}, {"get", "clusters"}, {"check"}, {"check", "-o", "json"}, {"status", "kv-00"},
		{"bootstrap", "--yes", "--metallb-range", w.Addresses, "-o", "json"},
		{"get", "clusters", "--watch", "-o", "json"},
	} {
		name := strings.Join(args, " ")
		e := unread(t, w.Direct, args...)
		if e.Signal != syscall.SIGPIPE && e.Code != 0 || e.Err != "" {
			t.Errorf("hcctl %s | (nobody): %s", name, e)
		}
		if strings.Contains(name, "--watch") {
			continue // it ends with its first line
		}
		e = toDevice(t, w.Direct, "/dev/full", args...)
		if e.Code == 0 || e.Code < 0 || !strings.Contains(e.Err, "no space left on device") ||
			strings.Contains(e.Err, "panic") {
			t.Errorf("hcctl %s > /dev/full: %s", name, e)
		}
	}
	// Without a reader of stderr a failure stays a failure. Without any stream the result stays the same.
	cmd := w.Direct.Command("get", "clusters", "nowhere")
	cmd.Stderr = closedPipe(t)
	if e := w.Direct.StartCommand(t, cmd).Wait(t); e.Code == 0 {
		t.Errorf("stderr closed: %s", e)
	}
	shell := w.Direct.Command()
	shell.Path, shell.Args = "/bin/sh", []string{"sh", "-c", `exec "$0" get clusters -o name <&- 2>&-`, w.Direct.Path}
	if e := w.Direct.StartCommand(t, shell).Wait(t); e.Code != 0 ||
		e.Out != "hostedcluster.hypershift.openshift.io/kv-00\n" {
		t.Errorf("stdin and stderr closed: %s", e)
	}
	w.Direct.Must(t, "delete", "cluster", "kv-00", "--yes")
}

// closedPipe is a pipe that nobody reads any more.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// unread runs hcctl with nobody at the other end of stdout.
func unread(t *testing.T, p *program.Program, args ...string) program.Ended {
	t.Helper()
	cmd := p.Command(args...)
	cmd.Stdout = closedPipe(t)
	return p.StartCommand(t, cmd).Wait(t)
}

// toDevice runs hcctl with stdout to a file that is there.
func toDevice(t *testing.T, p *program.Program, path string, args ...string) program.Ended {
	t.Helper()
	device, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close() //nolint:errcheck // nothing is kept in it
	cmd := p.Command(args...)
	cmd.Stdout = device
	return p.StartCommand(t, cmd).Wait(t)
}
