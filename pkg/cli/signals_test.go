//go:build unix

package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// promised is how long hcctl may take to end after the second signal.
const promised = 2 * time.Second

// program makes this test binary hcctl in a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"-test.run=^TestExecProcess$", "--"}, args...)...)
	cmd.Env = append(os.Environ(), asHcctl+"=1", "XDG_RUNTIME_DIR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// blocked waits until a process has begun to open the FIFO: then a writer can open it without waiting. It keeps the
// FIFO open, so that the process waits for content from then on.
func blocked(t *testing.T, fifo string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		if f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			t.Cleanup(func() { _ = f.Close() })
			return
		}
	}
	t.Fatal("nobody reads " + fifo)
}

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ends sends signals and holds the process to end in time, by itself.
func ends(t *testing.T, cmd *exec.Cmd, signals ...syscall.Signal) {
	t.Helper()
	begin := time.Now()
	for _, s := range signals {
		if err := cmd.Process.Signal(s); err != nil {
			t.Log(err) // the one before was enough
		}
	}
	slow := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer slow.Stop()
	_ = cmd.Wait()
	if took := time.Since(begin); took > promised || cmd.ProcessState.ExitCode() != cmdutil.ExitInterrupted {
		t.Errorf("it ended after %s with %v", took, cmd.ProcessState)
	}
}

// TestSignalsEndTheWaitingForAFile: a FIFO that nobody writes, as each kind of file that is read.
func TestSignalsEndTheWaitingForAFile(t *testing.T) {
	home(t, "https://127.0.0.1:1")
	create := []string{"create", "cluster", "--name", "kv-00", "--release-image", someImage, "--render"}
	for name, args := range map[string][]string{
		"--pull-secret": append(create, "--pull-secret"), "--ssh-key": append(create, "--ssh-key"),
		"config validate": {"config", "validate", "-f"}, "apply": {"apply", "-f"},
	} {
		for _, signals := range [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGTERM}} {
			t.Run(name, func(t *testing.T) {
				path := fifo(t)
				cmd := program(t, append(append([]string{}, args...), path)...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				blocked(t, path)
				ends(t, cmd, signals...)
			})
		}
	}
}

// TestTwoSignalsEndAWriteThatNobodyReads: the pipe is full, and does not heed a context.
func TestTwoSignalsEndAWriteThatNobodyReads(t *testing.T) {
	read, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	pipe := int(written.Fd()) // once: each call makes it wait again
	if err := syscall.SetNonblock(pipe, true); err != nil {
		t.Fatal(err)
	}
	page := make([]byte, 4096)
	for err == nil {
		_, err = syscall.Write(pipe, page)
	}
	if err := syscall.SetNonblock(pipe, false); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "version")
	cmd.Env = append(cmd.Env, tellsBegun+"=1")
	cmd.Stdout = written
	begun, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(begun).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ends(t, cmd, syscall.SIGTERM, syscall.SIGINT)
	_ = written.Close()
}

// TestACredentialPluginThatHangsEndsWithASignal, even one that ignores it.
func TestACredentialPluginThatHangsEndsWithASignal(t *testing.T) {
	config, begun := filepath.Join(t.TempDir(), "config"), fifo(t)
	text := strings.NewReplacer("FIFO", begun).Replace(`{apiVersion: v1, kind: Config, current-context: a,
  clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}],
  contexts: [{name: a, context: {cluster: a, user: a}}],
  users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh,
    args: ["-c", "trap '' TERM INT; echo x > FIFO; exec sleep 30"]}}}]}`)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, signals := range [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGTERM}} {
		cmd := program(t, "dump", "kv-00", "--kubeconfig", config)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(begun); err != nil || string(data) != "x\n" {
			t.Fatal(data, err)
		}
		ends(t, cmd, signals...)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// TestKubeconfigsThatAreNoFilesAreRefusedAtOnce, by whatever way they are named and in whatever command.
func TestKubeconfigsThatAreNoFilesAreRefusedAtOnce(t *testing.T) {
	path := fifo(t)
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	home(t, "https://127.0.0.1:1")
	for _, args := range [][]string{
		{"check"}, {"get", "clusters"}, {"status", "kv-00"}, {"dump", "kv-00"}, {"exec", "kv-00", "--", "true"},
		{"kubeconfig", "kv-00"},
		{"kubeconfig", "kv-00", "--remove"}, {"delete", "cluster", "kv-00", "--yes"},
	} {
		for file, kind := range map[string]string{
			path: "a FIFO", link: "a FIFO", "/dev/zero": "a device", t.TempDir(): "a directory",
		} {
			code, out, errs := hcctl(t, append([]string{"--kubeconfig", file}, args...)...)
			if code != cmdutil.ExitError || out != "" || !strings.Contains(errs, "not a regular file but "+kind) ||
				!strings.Contains(errs, "→") {
				t.Errorf("%v %s: exit %d %s%s", args, file, code, out, errs)
			}
		}
	}
	t.Setenv("KUBECONFIG", path)
	if code, _, errs := hcctl(t, "check"); code != cmdutil.ExitError || !strings.Contains(errs, "a FIFO") {
		t.Errorf("exit %d %s", code, errs)
	}
}

// TestTwoSignalsEndTheCommandOfExec that ignores them both.
func TestTwoSignalsEndTheCommandOfExec(t *testing.T) {
	home(t, management(t).URL)
	for _, second := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := program(t, "exec", "kv-00", "--", "sh", "-c",
			`trap "echo got" TERM INT; echo "$KUBECONFIG"; while :; do sleep 0.05; done`)
		cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir())
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		said := bufio.NewReader(out)
		path, err := said.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if line, err := said.ReadString('\n'); line != "got\n" {
			t.Fatalf("it said %q (%v)", line, err)
		}
		begin := time.Now()
		_ = cmd.Process.Signal(second)
		slow := time.AfterFunc(10*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		_, _ = io.Copy(io.Discard, said)
		_ = cmd.Wait()
		slow.Stop()
		if took := time.Since(begin); took > promised || cmd.ProcessState.ExitCode() != 137 {
			t.Errorf("it ended after %s with %v", took, cmd.ProcessState)
		}
		gone(t, strings.TrimSpace(path))
	}
}
