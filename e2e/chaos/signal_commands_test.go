package chaos

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// written is what progress says of an object that was written.
var written = regexp.MustCompile(`objects/\S+ +created`)

// promised is how long hcctl may take to leave after a signal.
const promised = 2 * time.Second

// interrupted runs hcctl, sends it a signal after a while, unless it is done by then, and holds it to what is
// promised. It returns how it ended, and how long it took from the signal; zero if it had ended before.
func interrupted(
	t *testing.T, p *program.Program, s syscall.Signal, after time.Duration, args ...string,
) (e program.Ended, left time.Duration) {
	t.Helper()
	run := p.Start(t, args...)
	select {
	case <-run.Over():
		return run.Wait(t), 0
	case <-time.After(after):
	}
	sent := time.Now()
	run.Signal(s)
	e = run.Wait(t)
	left = time.Since(sent)
	what := fmt.Sprintf("hcctl %s, %s after %s", strings.Join(args, " "), s, after.Round(time.Millisecond))
	switch {
	case e.Code == 0 && args[0] != "get": // it was about to end
		return e, 0
	case e.Code < 0 && e.Out+e.Err == "" && after < time.Second: // on a busy machine the program had not begun yet
		return e, 0
	case e.Code != 130:
		t.Errorf("%s: %s", what, e)
	}
	if left > promised {
		t.Errorf("%s: it left after %s, promised are %s", what, left.Round(time.Millisecond), promised)
	}
	return e, left
}

// signals: SIGINT and SIGTERM at moments that chance says, of everything that takes its time.
func signals(t *testing.T, w *world.World) {
	course := world.Chance(t)
	times := 2
	if world.WholeLists() {
		times = 12
	}
	var longest time.Duration
	sent := 0
	often := func(most time.Duration, args ...string) {
		t.Helper()
		for range times {
			_ = os.Remove(filepath.Join(w.Direct.Dir, "dump.tar.gz"))
			s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[course.IntN(2)]
			e, left := interrupted(t, w.Direct, s, 50*time.Millisecond+time.Duration(course.Int64N(int64(most))), args...)
			if left > 0 {
				sent, longest = sent+1, max(longest, left)
			}
			if left > 0 && args[0] != "get" {
				threeLines(t, e, args)
			}
		}
	}
	document := "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\n" +
		"spec: {pullSecret: " + w.PullSecret + "}\n"
	fleet := w.File(t, "signals.yaml", fmt.Sprintf(document+"---\n"+document, "kv-00", "kv-01"))
	often(2*time.Second, "create", "cluster", "--name", "kv-00", "--yes", "--pull-secret", w.PullSecret)
	often(2*time.Second, "apply", "-f", fleet, "--yes")
	w.Direct.Must(t, "apply", "-f", fleet, "--yes")
	often(time.Second, "bootstrap", "--yes", "--metallb-range", w.Addresses)
	often(time.Second, "get", "clusters", "--watch")
	often(time.Second, "status", "kv-00")
	often(time.Second, "check")
	often(time.Second, "dump", "kv-00", "--output-file", "dump.tar.gz")
	often(time.Second, "scale", "nodepool", "kv-00", "--replicas", "3", "--yes")
	execSignals(t, w)
	hanging(t, w)
	often(2*time.Second, "delete", "clusters", "kv-00", "kv-01", "--yes")
	e := w.Direct.Run(t, "delete", "clusters", "kv-00", "kv-01", "--yes")
	if e.Code != 0 {
		t.Error(e)
	}
	_ = os.Remove(fleet)
	_ = os.Remove(filepath.Join(w.Direct.Dir, "dump.tar.gz"))
	if left := w.Direct.Left(t); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
	t.Logf("%d signals; the longest to leave took %s", sent, longest.Round(time.Millisecond))
}

// threeLines holds what is said after a signal to three lines: what was interrupted, what exists, and the command that
// goes on, whole.
func threeLines(t *testing.T, e program.Ended, args []string) {
	t.Helper()
	_, last, found := strings.Cut("\n"+e.Err, "\nInterrupted")
	lines := strings.Split(strings.TrimSuffix(last, "\n"), "\n")
	if !found || len(lines) != 3 || lines[2] != "To continue: hcctl "+strings.Join(args, " ") {
		t.Errorf("the last lines are not what was interrupted, what exists, how to go on: %s", e)
	}
	if found && written.MatchString(e.Err) && lines[1] == "Nothing was changed." {
		t.Errorf("something was created: %s", e)
	}
}

// execSignals: a signal is the command's, whose end hcctl passes on; nothing of its kubeconfig is left.
func execSignals(t *testing.T, w *world.World) {
	t.Helper()
	for s, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		run := w.Direct.Start(t, "exec", "kv-00", "--", "sh", "-c", "echo begun >&2; exec sleep 60")
		for !strings.Contains(run.Err(), "begun") {
			select {
			case <-run.Over():
				t.Fatal(run.Wait(t))
			case <-time.After(10 * time.Millisecond):
			}
		}
		run.Signal(s)
		if e := run.Wait(t); e.Code != want {
			t.Errorf("exec, %s: want exit code %d: %s", s, want, e)
		}
	}
}

// hanging: from the signal on the API server does not answer. One signal still gives the prompt back in time, a second
// one at once.
func hanging(t *testing.T, w *world.World) {
	t.Helper()
	for name, twice := range map[string]bool{"kv-02": false, "kv-03": true} {
		run := w.Hcctl.Start(t, "create", "cluster", "--name", name, "--yes", "--pull-secret", w.PullSecret)
		for !strings.Contains(run.Err(), "cluster/") {
			select {
			case <-run.Over():
				t.Fatal(run.Wait(t))
			case <-time.After(10 * time.Millisecond):
			}
		}
		w.Proxy.Use(func(int, *http.Request) faultproxy.Fault { return faultproxy.Hang() })
		sent, limit := time.Now(), promised
		run.Signal(syscall.SIGINT)
		if twice {
			limit = 900 * time.Millisecond
			select {
			case <-run.Over():
			case <-time.After(100 * time.Millisecond):
				run.Signal(syscall.SIGINT)
			}
		}
		e := run.Wait(t)
		left := time.Since(sent)
		w.Proxy.Use(nil)
		if e.Code != 130 && e.Signal != syscall.SIGINT || left > limit {
			t.Errorf("signals: %t twice; it left after %s: %s", twice, left, e)
		}
		t.Logf(
			"with an API server that does not answer any more, it left after %s (two signals: %t)",
			left.Round(time.Millisecond), twice,
		)
	}
	w.Direct.Must(t, "delete", "clusters", "kv-02", "kv-03", "--yes")
}
