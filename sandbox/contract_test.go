package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// binary returns the sandbox under test: HCCTL_SANDBOX_BIN, or the file that `make sandbox` writes.
func binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("HCCTL_SANDBOX_BIN")
	if path == "" {
		path = filepath.Join("..", "bin", "hcctl-sandbox")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(abs); err != nil {
		t.Fatalf("the sandbox is not built: %v: run `make sandbox`, or set HCCTL_SANDBOX_BIN", err)
	}
	return abs
}

// running is a sandbox that a test started.
type running struct {
	cmd    *exec.Cmd
	dir    string
	line   string
	stderr *output
	exit   chan error
}

// output can be written and read at once.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// String is all that was written so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// otherKubernetes is a minor version of Kubernetes that all sandboxes of these tests get; make test-kubernetes sets it.
const otherKubernetes = "HCCTL_SANDBOX_KUBERNETES"

// startTime is generous: the promise is 10 s on an idle machine, and tests share theirs.
const startTime = 5 * time.Minute

// launch starts a sandbox in dir and returns once it has printed its first line. The sandbox ends with the test.
func launch(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	return launchBy(t, nil, startTime, dir, args...)
}

// launchBy is launch by another program, such as nice, with a limit for the start.
func launchBy(t *testing.T, by []string, limit time.Duration, dir string, args ...string) *running {
	t.Helper()
	r := &running{dir: dir, stderr: &output{}, exit: make(chan error, 1)}
	flags := []string{"start", "--dir", dir, "--gc-percent", "400", "--openapi=false"}
	if release := os.Getenv(otherKubernetes); release != "" {
		flags = append(flags, "--kubernetes", release, "--openapi")
	}
	line := slices.Concat(by, []string{binary(t)}, flags, args)
	r.cmd = exec.Command(line[0], line[1:]...) // #nosec G204 -- the sandbox under test
	r.cmd.Stderr = r.stderr
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Signal(syscall.SIGTERM)
		_ = r.ended()
		if t.Failed() {
			t.Logf("the sandbox in %s said: %s", dir, r.stderr)
		}
	})
	lines := make(chan string, 1)
	go func() {
		scanner := bufio.NewScanner(out)
		if scanner.Scan() {
			lines <- scanner.Text()
		}
		for scanner.Scan() {
			t.Errorf("stdout has a second line: %q", scanner.Text())
		}
		r.exit <- r.cmd.Wait()
		close(r.exit)
		close(lines)
	}()
	select {
	case r.line = <-lines:
	case <-time.After(limit):
		t.Fatalf("not ready after %s; stderr: %s", limit, r.stderr)
	}
	if r.line == "" {
		t.Fatalf("ended before it was ready: %s", r.stderr)
	}
	return r
}

// tree lists the live processes of a sandbox: its own process and its descendants.
func (r *running) tree(t *testing.T) []int {
	t.Helper()
	out := []int{r.cmd.Process.Pid}
	for i := 0; i < len(out); i++ {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", out[i]))
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			raw, err := os.ReadFile(task)
			if err != nil {
				continue // a thread that has ended
			}
			for _, f := range strings.Fields(string(raw)) {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, pid)
			}
		}
	}
	return out
}

// gone fails the test unless every process ends within d.
func gone(t *testing.T, pids []int, d time.Duration) {
	t.Helper()
	// Only a parent learns of the end of a process, so the test polls.
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	deadline := time.After(d)
	for _, pid := range pids {
		for alive(pid) {
			select {
			case <-look.C:
			case <-deadline:
				t.Fatalf("process %d is still there after %s", pid, d)
			}
		}
	}
}

func alive(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestContract(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "by", "the", "sandbox")
	began := time.Now()
	r := launch(t, dir, "--gc-percent", "40", "--openapi")
	t.Logf("ready after %s", time.Since(began).Round(time.Millisecond))

	if want := "ready: " + filepath.Join(dir, "kubeconfig"); r.line != want {
		t.Errorf("first line is %q, not %q", r.line, want)
	}
	info, err := os.Stat(filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("kubeconfig has mode %v, not 0600", info.Mode().Perm())
	}
	t.Run("the cluster is an OpenShift", func(t *testing.T) { checkBirth(t, dir) })
	t.Run("a directory in use is one clear error", func(t *testing.T) {
		code, stderr := runToEnd(t, "start", "--dir", dir)
		if code != 1 || !strings.Contains(stderr, "in use by another sandbox (pid "+strconv.Itoa(r.cmd.Process.Pid)+")") {
			t.Errorf("exit %d, stderr %q", code, stderr)
		}
		if strings.Count(stderr, "\n") != 1 {
			t.Errorf("stderr is not one line: %q", stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "kubeconfig")); err != nil {
			t.Errorf("the other sandbox's kubeconfig is gone: %v", err)
		}
	})
	t.Run("two at once", func(t *testing.T) {
		second := launch(t, t.TempDir())
		checkBirth(t, second.dir)
		if os.Getenv(otherKubernetes) != "" {
			return // an API server of another Kubernetes always has them
		}
		if servesOpenAPI(t, second.dir, "v2") || servesOpenAPI(t, second.dir, "v3/apis/config.openshift.io/v1") {
			t.Error("with --openapi=false there are OpenAPI documents")
		}
	})
	t.Run("OpenAPI documents", func(t *testing.T) {
		if !servesOpenAPI(t, dir, "v2") || !servesOpenAPI(t, dir, "v3/apis/config.openshift.io/v1") {
			t.Error("there are no OpenAPI documents")
		}
	})
	t.Run("memory", func(t *testing.T) {
		const limit = 1_300_000_000 - 240_000_000 // a guest needs less than the difference
		if sum := r.resident(t); sum > limit {
			t.Errorf("%d MB resident without a guest, more than %d", sum/1_000_000, limit/1_000_000)
		} else {
			t.Logf("%d MB resident", sum/1_000_000)
		}
	})
	pids := r.tree(t)
	if len(pids) < 5 {
		t.Fatalf("only processes %v: is the sandbox all there?", pids)
	}
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	gone(t, pids, 5*time.Second)
	if err := <-r.exit; err != nil {
		t.Errorf("SIGTERM: %v, stderr %s", err, r.stderr)
	}
	for _, name := range []string{"kubeconfig", "run"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

func (r *running) resident(t *testing.T) int {
	t.Helper()
	sum := 0
	for _, pid := range r.tree(t) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			t.Fatal(err)
		}
		pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += pages * os.Getpagesize()
	}
	return sum
}

// ended waits until the sandbox has ended, and returns its error.
func (r *running) ended() error { return <-r.exit }

func TestKilledSandboxTakesItsChildrenAlong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := launch(t, dir)
	pids := r.tree(t)
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	gone(t, pids, 5*time.Second)
	if r.ended() == nil {
		t.Error("a killed sandbox ended as if nothing had happened")
	}
	// The files of the killed sandbox do not block a new one.
	again := launch(t, dir)
	checkBirth(t, again.dir)
}

func TestErrors(t *testing.T) {
	readonly := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(readonly, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no dir":          {[]string{"start"}, 2, "--dir DIR is required"},
		"unknown flag":    {[]string{"start", "--nope"}, 2, "-nope"},
		"unknown profile": {[]string{"start", "--dir", t.TempDir(), "--profile", "ocp-3.11"}, 2, `no profile "ocp-3.11"`},
		"speed of zero":   {[]string{"start", "--dir", t.TempDir(), "--speed", "0"}, 2, "--speed must be greater than 0"},
		"no garbage": {[]string{"start", "--dir", t.TempDir(), "--gc-percent", "0"}, 2,
			"--gc-percent must be greater than 0"},
		"speed NaN":       {[]string{"start", "--dir", t.TempDir(), "--speed", "NaN"}, 2, "--speed must be greater than 0"},
		"fewer than none": {[]string{"start", "--dir", t.TempDir(), "--guests", "-1"}, 2, "--guests must be at least 0"},
		"fleet of guests": {[]string{"start", "--dir", t.TempDir(), "--fleet", "--guests", "2"}, 2,
			"--guests does not work with --fleet"},
		"unknown fault": {[]string{"start", "--dir", t.TempDir(), "--fault", "no-kvm", "--fault", "gremlins"}, 2,
			`no fault "gremlins": there are addon-degraded, `},
		"fault too late": {[]string{"start", "--dir", t.TempDir(), "--profile", "ready", "--fault", "no-disks"}, 2,
			"fault no-disks concerns the installation"},
		"argument":        {[]string{"start", "--dir", t.TempDir(), "x"}, 2, `unexpected argument "x"`},
		"unknown command": {[]string{"stop"}, 2, `unknown command "stop"`},
		"unusable dir": {[]string{"start", "--dir", filepath.Join(readonly, "below")}, 1, "cannot use " +
			filepath.Join(readonly, "below")},
	} {
		t.Run(name, func(t *testing.T) {
			code, stderr := runToEnd(t, c.args...)
			if code != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("exit %d, stderr %q; want exit %d and %q", code, stderr, c.code, c.says)
			}
		})
	}
}

func TestDirNotWritable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil { // #nosec G302 -- the directory must not be writable
		t.Fatal(err)
	}
	probe := filepath.Join(dir, "probe")
	if err := os.WriteFile(probe, nil, 0o600); err == nil {
		_ = os.Remove(probe)
		t.Skip("root may write anywhere: TestErrors has a directory that even root cannot use")
	}
	code, stderr := runToEnd(t, "start", "--dir", dir)
	if code != 1 || !strings.Contains(stderr, "not writable") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

func runToEnd(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("stdout: %q", out.String())
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

// servesOpenAPI reports whether a cluster has the OpenAPI document.
func servesOpenAPI(t *testing.T, dir, document string) bool {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.RESTClient().Get().AbsPath("/openapi/" + document).DoRaw(t.Context())
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

// checkBirth checks that the cluster has the objects of its profile.
func checkBirth(t *testing.T, dir string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nodes := &corev1.NodeList{}
	if err := c.List(context.Background(), nodes); err != nil {
		t.Fatal(err)
	}
	ready := 0
	for i := range nodes.Items {
		for _, cond := range nodes.Items[i].Status.Conditions {
			if cond.Type == corev1.NodeReady && cond.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	if len(nodes.Items) != 6 || ready != 6 {
		t.Errorf("%d of %d nodes are ready, not 6 of 6", ready, len(nodes.Items))
	}
}
