package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// In make test-all these tests are at their full size.
var wholeSize = os.Getenv("HCCTL_E2E_ALL") != ""

// order sends an order to the sandbox and waits until it is done.
func (r *running) order(t *testing.T, name string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary(t), "control", "--dir", r.dir, name).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// restarts restarts the API server n times in a row, each time while a namespace is deleted. The sandbox stays up,
// keeps an object, and deletes the namespaces.
func (r *running) restarts(t *testing.T, n int) {
	t.Helper()
	c := clusterOf(t, r.dir, "kubeconfig")
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "kept"}}
	if err := c.Create(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	began, longest := time.Now(), time.Duration(0)
	going := make([]*corev1.Namespace, n)
	for i := range going {
		going[i] = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("going-", i)}}
		for _, write := range []func() error{
			func() error { return c.Create(t.Context(), going[i]) }, func() error { return c.Delete(t.Context(), going[i]) },
		} {
			if err := write(); err != nil {
				t.Fatal(err)
			}
		}
		one := time.Now()
		r.order(t, "api-restart")
		longest = max(longest, time.Since(one))
	}
	t.Logf("%d restarts of the API server took %s, the longest %s", n, time.Since(began).Round(time.Second),
		longest.Round(100*time.Millisecond))
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(kept), kept); err != nil {
		t.Errorf("the object from before the restarts: %v", err)
	}
	for _, ns := range going {
		eventually(t, 2*time.Minute, func() error {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(ns), ns); !apierrors.IsNotFound(err) {
				return fmt.Errorf("namespace %s is still there: %w", ns.Name, err)
			}
			return nil
		})
	}
	if strings.Contains(r.stderr.String(), "by itself") {
		t.Errorf("children have ended by themselves: %s", r.stderr)
	}
}

// The sandbox stays up when its API server is restarted again and again.
func TestRestarts(t *testing.T) {
	t.Parallel()
	n := 20
	if wholeSize {
		n = 200
	}
	launch(t, t.TempDir(), "--profile", "ready", "--guests", "0", "--speed", "50").restarts(t, n)
}

// A sandbox starts and stays up beside busy loops and writers that wait for the disk. The loops have the sandbox's
// priority, which is lower than that of other tests.
func TestBusyMachine(t *testing.T) {
	if !wholeSize {
		t.Skip("it makes all other tests slow: make test-busy runs it alone, and make test-all")
	}
	t.Parallel()
	loops, profile, n := 10*runtime.NumCPU(), "ready", 5
	low := []string{"nice", "-n", "15"}
	for range loops {
		// The limit ends a loop that this test's end does not.
		loop := exec.CommandContext(t.Context(), low[0], append(low[1:], "sh", "-c", "ulimit -t 600; while :; do :; done")...)
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = loop.Process.Kill(), loop.Wait() })
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	dir := t.TempDir()
	for i := range 2 {
		writers.Go(func() { writeSynced(ctx, t, filepath.Join(dir, fmt.Sprint("written-", i))) })
	}
	t.Cleanup(func() { stop(); writers.Wait() })
	began := time.Now()
	r := launchBy(t, low, 10*time.Minute, t.TempDir(), "--profile", profile, "--guests", "0", "--speed", "50")
	t.Logf("beside %d busy loops, profile %s was ready after %s", loops, profile, time.Since(began).Round(time.Second))
	r.restarts(t, n)
}

// writeSynced writes a file and waits for the disk, again and again until ctx ends.
func writeSynced(ctx context.Context, t *testing.T, path string) {
	block := bytes.Repeat([]byte{1}, 4<<20)
	for ctx.Err() == nil {
		file, err := os.Create(path)
		if err == nil {
			_, err = file.Write(block)
		}
		if err == nil {
			err = file.Sync()
		}
		if file != nil {
			_ = file.Close()
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// Children that end by themselves start again, which is reported; the last line says why the sandbox ends.
func TestEnds(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "no-olm")
	c := clusterOf(t, r.dir, "kubeconfig")
	// The API server is last: without it, the others may end on their own before they are killed.
	for _, role := range []string{"scheduler", "controller-manager", "apiserver"} {
		for _, pid := range r.tree(t) {
			line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if err == nil && bytes.Contains(line, []byte("hcctl-sandbox\x00"+role+"\x00")) {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := "kube-" + role + " ended by itself and starts again in 1s: signal: killed: "
		eventually(t, 30*time.Second, func() error {
			if !strings.Contains(r.stderr.String(), want) {
				return fmt.Errorf("stderr does not say %q: %s", want, r.stderr)
			}
			return nil
		})
	}
	eventually(t, 60*time.Second, func() error { return c.List(t.Context(), &corev1.NamespaceList{}) })
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	if got := r.stderr.String(); !strings.HasSuffix(got, "hcctl-sandbox start: ended: terminated signal received\n") {
		t.Errorf("the last line does not say why it ended: %s", got)
	}
}
