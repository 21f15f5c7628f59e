package kubeconfig_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// mergeInto makes this test binary a process that merges: the file, and the names of the clusters.
var (
	mergeInto = flag.String("merge-into", "", "kubeconfig to merge into (a process of TestManyProcesses)")
	mergeName = flag.String("merge-name", "", "name of the cluster to merge")
	forever   = flag.Bool("merge-forever", false, "merge and remove until killed")
)

// TestProcess is not a test: it is what the processes of the others do.
func TestProcess(t *testing.T) {
	if *mergeInto == "" {
		t.Skip("run by others")
	}
	for {
		merge(t, *mergeInto, entry(*mergeName))
		if !*forever {
			return
		}
		if _, err := kubeconfig.Remove(t.Context(), *mergeInto,
			kubeconfig.Selection{Owner: entry(*mergeName).Owner}); err != nil {
			t.Fatal(err)
		}
	}
}

func process(t *testing.T, path, name string, flags ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append(
		[]string{"-test.run=^TestProcess$", "-merge-into=" + path, "-merge-name=" + name}, flags...)...)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s: %s", name, out)
		}
	})
	return cmd
}

// TestManyProcesses: twenty processes merge into one file at once, while kubectl, which knows only its own lock, writes
// it too. Nothing is lost.
func TestManyProcesses(t *testing.T) {
	const processes, edits = 20, 20
	path := file(t, theirs)
	var all sync.WaitGroup
	for i := range processes {
		cmd := process(t, path, fmt.Sprintf("kv-%02d", i))
		all.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	all.Go(func() {
		for i := range edits {
			kubectl(t, path, fmt.Sprintf("edit-%02d", i))
		}
	})
	all.Wait()
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + processes + edits; len(config.Contexts) != want {
		t.Errorf("%d contexts, want %d", len(config.Contexts), want)
	}
	if len(config.Clusters) != 1+processes || len(config.AuthInfos) != 1+processes || config.CurrentContext != "lab" ||
		config.AuthInfos["me"].Token != "secret" {
		t.Errorf("%d clusters, %d users, current %q", len(config.Clusters), len(config.AuthInfos), config.CurrentContext)
	}
	onlyFile(t, path)
}

// kubectl adds a context under the lock that kubectl takes, and writes the file in place as kubectl does. (kubectl
// itself reads once before it takes the lock, and so may lose what came in between; that is not for hcctl to mend.)
func kubectl(t *testing.T, path, name string) {
	t.Helper()
	for {
		lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL, 0)
		if errors.Is(err, fs.ErrExist) && t.Context().Err() == nil {
			continue
		}
		if err != nil {
			t.Errorf("kubectl: %v", err)
			return
		}
		config, err := clientcmd.LoadFromFile(path)
		if err == nil {
			config.Contexts[name] = config.Contexts["lab"].DeepCopy()
			err = clientcmd.WriteToFile(*config, path)
		}
		if err = errors.Join(err, lock.Close(), os.Remove(path+".lock")); err != nil {
			t.Errorf("kubectl: %v", err)
		}
		return
	}
}

// TestKilled: a process that merges and removes is killed with -9 again and again. The file is always the old or the
// new one, and the next one cleans up and goes on.
func TestKilled(t *testing.T) {
	path := file(t, theirs)
	merge(t, path, entry("kv-00"))
	with := content(t, path)
	if _, err := kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Owner: entry("kv-00").Owner}); err != nil {
		t.Fatal(err)
	}
	without := content(t, path)
	seen := map[string]int{}
	for i := range 12 {
		cmd := process(t, path, "kv-00", "-merge-forever")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		changed(t, path)
		time.AfterFunc(time.Duration(i*i*97)*time.Microsecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		switch got := content(t, path); got {
		case with, without:
			seen[got]++
		default:
			t.Fatalf("killed %d times, and the file is neither:\n%s", i+1, got)
		}
	}
	if len(seen) != 2 {
		t.Logf("the file was always the same: %d kinds", len(seen))
	}
	begin := time.Now()
	merge(t, path, entry("kv-00"))
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("what was left behind held up the next one for %s", took)
	}
	if content(t, path) != with {
		t.Errorf("got:\n%s", content(t, path))
	}
	onlyFile(t, path)
}

// changed waits until a process has begun to write a file.
func changed(t *testing.T, path string) {
	t.Helper()
	first, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case <-deadline:
			t.Fatal("the process writes nothing")
		case <-tick.C:
			if now, err := os.Stat(path); err == nil && !os.SameFile(first, now) {
				return
			}
		}
	}
}

// TestLockLeftBehind: kubectl's lock, left by a killed hcctl, is cleared away; one that is somebody else's is waited
// for.
func TestLockLeftBehind(t *testing.T) {
	path := file(t, theirs)
	write(t, path+".lock", "hcctl\n")
	write(t, filepath.Join(filepath.Dir(path), ".config.hcctl-tmp-123"), "half")
	write(t, filepath.Join(filepath.Dir(path), ".config.hcctl-lock"), "")
	merge(t, path, entry("kv-00"))
	onlyFile(t, path)

	write(t, path+".lock", "") // kubectl is writing
	before := content(t, path)
	done := make(chan error, 1)
	go func() {
		_, err := kubeconfig.Merge(t.Context(), path, []kubeconfig.Entry{entry("kv-01")}, "")
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if content(t, path) != before {
		t.Error("the file was written under kubectl's lock")
	}
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || !strings.Contains(content(t, path), "clusters-kv-01") {
		t.Error(err)
	}
}
