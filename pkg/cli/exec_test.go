//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	runner "github.com/hcctl/hcctl/pkg/cli/internal/program"
)

// asHcctl makes this test binary hcctl, with the arguments after --.
const asHcctl = "HCCTL_TEST_IS_HCCTL"

// tellsBegun makes it write a line to stderr once it hears signals.
const tellsBegun = "HCCTL_TEST_TELLS_BEGUN"

// TestExecProcess is not a test: it is hcctl in a process of its own, as main has it, for signals.
func TestExecProcess(t *testing.T) {
	if os.Getenv(asHcctl) == "" {
		t.Skip("run by others")
	}
	args := os.Args //nolint:forbidigo // it is the program here
	for args[0] != "--" {
		args = args[1:]
	}
	ctx := cmdutil.Signals(t.Context(), os.Exit) //nolint:forbidigo // it is the program here
	if os.Getenv(tellsBegun) != "" {
		_, _ = os.Stderr.WriteString("begun\n") //nolint:forbidigo // it is the program here
	}
	//nolint:forbidigo // it is the program here
	streams := cmdutil.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(Main(ctx, args[1:], streams, os.Getenv)) //nolint:forbidigo // it is the program here
}

func TestExecHandsTheExitCodeOn(t *testing.T) {
	mine := home(t, management(t).URL)
	before, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	notExecutable := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(notExecutable, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		command []string
		code    int
		said    string
	}{
		{[]string{"sh", "-c", "exit 0"}, 0, ""},
		{[]string{"sh", "-c", "exit 7"}, 7, ""},
		{[]string{"sh", "-c", "kill -KILL $$"}, 137, ""},
		{[]string{"there-is-no-such-command"}, runner.ExitNotFound, "there-is-no-such-command cannot be run"},
		{[]string{notExecutable}, runner.ExitNotRunnable, "cannot be run"},
	} {
		code, stdout, stderr := hcctl(t, append([]string{"exec", "kv-00", "--"}, tc.command...)...)
		if code != tc.code || stdout != "" || (tc.said == "") != (stderr == "") || !strings.Contains(stderr, tc.said) {
			t.Errorf("%v: exit %d, want %d: %q, %q", tc.command, code, tc.code, stdout, stderr)
		}
	}
	if after, err := os.ReadFile(mine); err != nil || string(after) != string(before) {
		t.Errorf("the user's kubeconfig is now %q (%v)", after, err)
	}
}

func TestExecGivesAPrivateKubeconfigThatIsGoneAfterwards(t *testing.T) {
	home(t, management(t).URL)
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	out := expect(t, 0, "", "exec", "kv-00", "--", "sh", "-c",
		`echo $KUBECONFIG; echo $HCCTL_HOSTED_CLUSTER; ls -l "$KUBECONFIG" | cut -c1-10; ls -ld "$(dirname "$KUBECONFIG")" | cut -c1-10; cat "$KUBECONFIG"; cat`)
	lines := strings.SplitN(out, "\n", 5)
	if len(lines) != 5 || lines[1] != "clusters/kv-00" || lines[2] != "-rw-------" || lines[3] != "drwx------" {
		t.Fatal(out)
	}
	if !strings.HasPrefix(lines[0], base) || !strings.Contains(lines[4], "kind: Config") ||
		!strings.HasSuffix(lines[4], "stdin\n") {
		t.Error(out)
	}
	gone(t, lines[0])
}

// gone fails if there is anything left of a private kubeconfig.
func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Dir(path)); path == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q is still there: %v", path, err)
	}
}

// asChild makes this test binary the command that hcctl exec runs.
const asChild = "HCCTL_TEST_IS_CHILD"

// TestExecChild is not a test: it is a command that tells its KUBECONFIG, then "got" for what it is sent. It ends with
// 9 by SIGTERM or the second SIGINT, with 8 by SIGHUP, unless that was ignored when it began.
func TestExecChild(t *testing.T) {
	if os.Getenv(asChild) == "" {
		t.Skip("run by others")
	}
	sent := make(chan os.Signal, 8)
	signal.Notify(sent, syscall.SIGTERM, syscall.SIGINT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(sent, syscall.SIGHUP)
	}
	say := func(line string) { _, _ = os.NewFile(1, "stdout").WriteString(line + "\n") }
	say(os.Getenv("KUBECONFIG"))
	codes, interrupts := map[os.Signal]int{syscall.SIGTERM: 9, syscall.SIGHUP: 8}, 0
	for s := range sent {
		say("got")
		if s == syscall.SIGINT {
			interrupts++
		}
		if code := codes[s]; code != 0 {
			os.Exit(code) //nolint:forbidigo // it is a program of its own here
		}
		if interrupts == 2 {
			os.Exit(9) //nolint:forbidigo // it is a program of its own here
		}
	}
}

// execProcess starts hcctl exec in a process without a terminal, by a shell command that has its call as "$@". It
// returns the lines that come out.
func execProcess(t *testing.T, by string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", by, "sh", self, "-test.run=^TestExecProcess$", "--", "exec",
		"kv-00", "--",
		"env", "-u", asHcctl, asChild+"=1", self, "-test.run=^TestExecChild$")
	cmd.Env = append(os.Environ(), asHcctl+"=1", "TMPDIR="+t.TempDir(), "XDG_RUNTIME_DIR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr //nolint:forbidigo // for who looks at a failure
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return cmd, bufio.NewScanner(out)
}

// The tests themselves may have been started by nohup, whose ignored SIGHUP is inherited; env undoes that.
func TestExecHandsSignalsOn(t *testing.T) {
	home(t, management(t).URL)
	for name, tc := range map[string]struct {
		by      string
		signals []syscall.Signal
		code    int
	}{
		"SIGTERM":         {`exec "$@"`, []syscall.Signal{syscall.SIGTERM}, 9},
		"SIGHUP":          {`exec env --default-signal=HUP "$@"`, []syscall.Signal{syscall.SIGHUP}, 8},
		"SIGINT twice":    {`exec "$@"`, []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 9},
		"SIGHUP by nohup": {`trap "" HUP; exec "$@"`, []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, lines := execProcess(t, tc.by)
			if !lines.Scan() {
				t.Fatal("it said nothing")
			}
			path := lines.Text()
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			for _, s := range tc.signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				// One that is ignored is heard by nobody; the next one comes after it.
				if ignored := s == syscall.SIGHUP && len(tc.signals) > 1; !ignored && (!lines.Scan() || lines.Text() != "got") {
					t.Fatalf("it said %q", lines.Text())
				}
			}
			for lines.Scan() {
				t.Errorf("it said %q", lines.Text())
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != tc.code {
				t.Errorf("%v, want exit %d", err, tc.code)
			}
			gone(t, path)
		})
	}
}

// TestExecRunsNothingOfTheCurrentDirectory unless it is named as such: PATH may have an empty or relative entry.
func TestExecRunsNothingOfTheCurrentDirectory(t *testing.T) {
	home(t, management(t).URL)
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("bin", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"planted", "bin/planted"} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\ntouch ran\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := os.Getenv("PATH")
	for entries, named := range map[string]string{
		":" + path: "./planted", path + ":": "./planted", ".:" + path: "./planted",
		path + "::/nowhere": "./planted", "bin:" + path: "./bin/planted",
	} {
		for _, debug := range []string{"", "execerrdot=0"} {
			t.Setenv("PATH", entries)
			t.Setenv("GODEBUG", debug)
			code, stdout, stderr := hcctl(t, "exec", "kv-00", "--", "planted")
			if code != runner.ExitNotRunnable || stdout != "" || !strings.Contains(stderr, "if you mean it, write "+named) {
				t.Errorf("PATH=%s: exit %d %s%s", entries, code, stdout, stderr)
			}
		}
	}
	if _, err := os.Stat("ran"); err == nil {
		t.Error("it was run")
	}
	if code, _, stderr := hcctl(t, "exec", "kv-00", "--", "./planted"); code != 0 {
		t.Errorf("named as such: exit %d %s", code, stderr)
	}
	if _, err := os.Stat("ran"); err != nil {
		t.Error(err)
	}
}

// TestExecTakesXDGRuntimeDirOnlyIfItIsTheUsersAlone, and TMPDIR else.
func TestExecTakesXDGRuntimeDirOnlyIfItIsTheUsersAlone(t *testing.T) {
	home(t, management(t).URL)
	other, runtime := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink("/", link), os.Chmod(runtime, 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", other)
	wide := t.TempDir()
	if err := os.Chmod(wide, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		runtime: runtime, wide: other, link: other, "relative": other, "": other, "/dev/null": other,
	} {
		var out, errs bytes.Buffer
		getenv := func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": dir}[name] }
		args := []string{"exec", "kv-00", "--", "sh", "-c", "echo $KUBECONFIG"}
		if code := Main(t.Context(), args, cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
			getenv); code != 0 {
			t.Errorf("exit %d %s", code, &errs)
		}
		if !strings.HasPrefix(out.String(), want+"/") {
			t.Errorf("XDG_RUNTIME_DIR=%s: %s", dir, &out)
		}
	}
}
