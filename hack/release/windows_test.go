package release_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// windows runs hcctl.exe by wine, which is not Windows: it shows that the program starts, finds its files and takes
// keys from a console, as far as wine does what Windows does.
type windows struct {
	prefix, directory string // C:\ is below the one, the other is Z:\ with its path
	program           string
}

func newWindows(t *testing.T) *windows {
	t.Helper()
	needs(t, "wine", "wine", "wine64")
	w := &windows{prefix: t.TempDir(), directory: t.TempDir(), program: programOf(t, "windows", "amd64")}
	w.wine(t, "wineboot", "--init")
	t.Cleanup(func() { // of this prefix alone
		cmd := exec.Command("wineserver", "--kill", "--wait")
		cmd.Env = w.env()
		_ = cmd.Run()
	})
	if library := filepath.Join(w.prefix, "drive_c/windows/system32/bcryptprimitives.dll"); !exists(library) {
		needs(t, "x86_64-w64-mingw32-ld", "binutils-mingw-w64-x86-64")
		command(t, "x86_64-w64-mingw32-ld", "-shared", "-o", library, "testdata/bcryptprimitives.def")
	}
	w.wine(t, "winecfg", "/v", "win10")
	return w
}

func (w *windows) env(more ...string) []string {
	return append([]string{"WINEPREFIX=" + w.prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", "HOME=" + w.prefix,
		"PATH=/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8", "NO_PROXY=127.0.0.1,127.0.0.0/8"}, more...)
}

func (w *windows) wine(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "wine", args...)
	cmd.Env = w.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("wine %v: %v\n%s", args, err, out)
	}
}

// home is %USERPROFILE%.
func (w *windows) home(t *testing.T) string {
	t.Helper()
	homes, err := filepath.Glob(filepath.Join(w.prefix, "drive_c/users/*"))
	homes = slices.DeleteFunc(homes, func(name string) bool { return filepath.Base(name) == "Public" })
	if err != nil || len(homes) != 1 {
		t.Fatalf("%v, %v", homes, err)
	}
	return homes[0]
}

// ran is what a command wrote into pipes, and its exit code.
type ran struct {
	out, err string
	code     int
}

func (w *windows) run(t *testing.T, env []string, args ...string) ran {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "wine", append([]string{w.program}, args...)...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.directory, w.env(env...), &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// onConsole runs hcctl on a console, types a key once a text is there, and returns what the console showed.
func (w *windows) onConsole(t *testing.T, text, key string, args ...string) (shown string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "wine", append([]string{w.program}, args...)...)
	cmd.Dir, cmd.Env = w.directory, w.env()
	console, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 250})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = console.Close() }()
	var all strings.Builder
	for in := bufio.NewReader(console); ; {
		c, err := in.ReadByte()
		if errors.Is(err, syscall.EIO) || errors.Is(err, io.EOF) { // the program has ended
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all.WriteByte(c)
		if key != "" && strings.HasSuffix(all.String(), text) {
			if _, err := io.WriteString(console, key); err != nil {
				t.Fatal(err)
			}
			key = ""
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return all.String(), cmd.ProcessState.ExitCode()
}

// cluster starts a sandbox with nothing installed and writes its kubeconfig to %USERPROFILE%\.kube\config.
func (w *windows) cluster(t *testing.T) (kubeconfig string) {
	t.Helper()
	program := os.Getenv("HCCTL_SANDBOX_BIN")
	if program == "" {
		program = "../../bin/hcctl-sandbox"
	}
	if !exists(program) {
		t.Fatalf("%s is not built: make test-release builds it", program)
	}
	dir := t.TempDir()
	kubeconfig = startSandbox(t, exec.CommandContext(t.Context(), program, "start", "--dir", dir, "--guests=0", "--lean",
		"--openapi=false"))
	config := filepath.Join(w.home(t), ".kube/config")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, read(t, kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// startSandbox returns the kubeconfig that the sandbox tells. It ends with the test.
func startSandbox(t *testing.T, cmd *exec.Cmd) (kubeconfig string) {
	t.Helper()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before its directory is removed
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	said := ""
	for lines := bufio.NewScanner(out); !strings.HasPrefix(said, "ready: "); said = lines.Text() {
		if !lines.Scan() {
			t.Fatalf("the sandbox did not start: %s", said)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return strings.TrimPrefix(said, "ready: ")
}

// dos is a path of this machine as wine shows it.
func dos(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }

func TestWindows(t *testing.T) {
	w := newWindows(t)
	if got := w.run(t, nil, "version"); got.code != 0 || got.err != "" ||
		!strings.HasPrefix(got.out, "hcctl v"+version(t)+" windows/amd64 ") {
		t.Errorf("version: %+v", got)
	}
	own := programOf(t, runtime.GOOS, runtime.GOARCH)
	for _, args := range append(fixed, []string{"completion", "powershell"}) {
		cmd := exec.CommandContext(t.Context(), own, args...)
		want, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := w.run(t, nil, args...)
		if got.code != 0 || got.out != string(want) {
			t.Errorf("hcctl %v writes %d bytes, and on Linux %d: %.2000s %s", args, len(got.out), len(want), got.out, got.err)
		}
	}
	t.Run("errors", w.errors)
	kubeconfig := w.cluster(t)
	t.Run("paths", func(t *testing.T) { w.paths(t, kubeconfig) })
	t.Run("files", w.files)
	t.Run("console", w.console)
	t.Run("keys", w.keys)
}

func (w *windows) errors(t *testing.T) {
	for _, tt := range []struct {
		args []string
		env  string
		code int
		want string
	}{
		{args: []string{"nosuch"}, code: 2, want: `Error: unknown command "nosuch" for hcctl`},
		{args: []string{"get", "clusters"}, code: 1, want: "there is no kubeconfig"},
		{args: []string{"get", "clusters", `--kubeconfig=C:\nowhere\config`}, code: 1, want: `C:\nowhere\config`},
		{args: []string{"get", "clusters"}, env: `KUBECONFIG=C:\nowhere\a;D:\b`, code: 1, want: `does not exist: C:\nowhere\a;D:\b`},
	} {
		got := w.run(t, []string{tt.env}, tt.args...)
		if got.code != tt.code || got.out != "" || !strings.Contains(got.err, tt.want) {
			t.Errorf("hcctl %v: %+v, want code %d and %q", tt.args, got, tt.code, tt.want)
		}
	}
}

// paths has hcctl find a kubeconfig wherever people of Windows have theirs.
func (w *windows) paths(t *testing.T, kubeconfig string) {
	if err := os.WriteFile(filepath.Join(w.directory, "own.yaml"), read(t, kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, env string
		args      []string
	}{
		{name: "%USERPROFILE%"},
		{name: "drive and backslashes", args: []string{"--kubeconfig", dos(kubeconfig)}},
		{name: "drive and slashes", args: []string{"--kubeconfig", "Z:" + kubeconfig}},
		{name: "a relative path", args: []string{"--kubeconfig", `.\own.yaml`}},
		{name: "KUBECONFIG with a list", env: `KUBECONFIG=C:\nowhere\config;` + dos(kubeconfig)},
	} {
		got := w.run(t, []string{tt.env}, append([]string{"get", "clusters"}, tt.args...)...)
		if got.code != 3 || !strings.Contains(got.err, "HyperShift is not installed") { // so the cluster says
			t.Errorf("%s: %+v", tt.name, got)
		}
		if len(tt.args) > 0 && !strings.Contains(got.err, "→ hcctl "+strings.Join(tt.args, " ")+" check") {
			t.Errorf("%s: the hint cannot be run by cmd.exe: %s", tt.name, got.err)
		}
	}
}

// files has hcctl write files and directories, by names with backslashes.
func (w *windows) files(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"man", `pages\of it`}, "pages/of it/hcctl-create-cluster.1"},
		{[]string{"create", "cluster", "--name=kv-00", `--save-config=.\kv-00.yaml`}, "kv-00.yaml"},
		{[]string{"create", "cluster", "--name=kv-00", "--render-into", dos(w.directory) + `\rendered.yaml`,
			"--release-image=quay.io/openshift-release-dev/ocp-release:4.20.3-multi"}, "rendered.yaml"},
	} {
		got := w.run(t, nil, tt.args...)
		made, err := filepath.Glob(filepath.Join(w.directory, tt.want))
		if err != nil || got.code != 0 || len(made) == 0 {
			t.Errorf("hcctl %v: %+v, and there is no %s", tt.args, got, tt.want)
		}
	}
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// console compares a console, which shows colours, with a pipe, which gets none. (Wine shows and hides its cursor by
// escape sequences of its own.)
func (w *windows) console(t *testing.T) {
	coloured := regexp.MustCompile(`\x1b\[3[0-9]m`)
	shown, code := w.onConsole(t, "", "", "check")
	if !coloured.MatchString(shown) || !strings.Contains(shown, "✓") || code != 3 {
		t.Errorf("check ends with %d, and a console shows no colours: %.3000q", code, shown)
	}
	piped := w.run(t, nil, "check")
	if all := piped.out + piped.err; escapes.MatchString(all) || piped.code != code || !strings.Contains(all, "worker nodes") {
		t.Errorf("check into a pipe: %+v", piped)
	}
}

// keys presses Ctrl-C while hcctl waits for operators. (Wine's consoles have no Ctrl-Break, which Go takes for the
// same.)
func (w *windows) keys(t *testing.T) {
	shown, code := w.onConsole(t, "multicluster/operator", "\x03", "bootstrap", "--yes",
		"--metallb-range=127.0.200.1-127.0.200.9")
	shown = strings.ReplaceAll(escapes.ReplaceAllString(shown, ""), "\r", "")
	if code != 130 || !strings.Contains(shown, "Interrupted: ") ||
		!strings.Contains(shown, "To continue: hcctl bootstrap --yes") {
		t.Errorf("Ctrl-C: hcctl ends with %d and says %.3000s", code, shown)
	}
}
