package budget_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/budget"
	"github.com/hcctl/hcctl/internal/faultproxy"
	"github.com/hcctl/hcctl/internal/golden"
)

// quiet is for how long no request may come before a wave ends. A busy machine may be slower: then a wave is counted
// twice, and the command runs again.
const quiet = 400 * time.Millisecond

// chainRuns is how often a command may run until it is within its budget.
const chainRuns = 3

// waves holds all answers until each request is answered and no other comes, and then lets them go together. So the
// number of waves is the length of the longest chain of requests that wait for each other.
type waves struct {
	mu sync.Mutex
	// open are the requests without an answer, now is closed at the end of the wave.
	open map[int]bool
	now  chan struct{}
	// asked are the requests of each wave; the last one goes on.
	asked [][]string
	timer *time.Timer
}

func newWaves() *waves {
	w := &waves{open: map[int]bool{}, now: make(chan struct{}), asked: [][]string{nil}}
	w.timer = time.AfterFunc(quiet, w.end)
	return w
}

func (w *waves) before(n int, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[n] = true
	last := len(w.asked) - 1
	w.asked[last] = append(w.asked[last], r.Method+" "+r.URL.RequestURI())
	w.timer.Reset(quiet)
	context.AfterFunc(r.Context(), func() { w.answered(n) }) // given up by the client
}

func (w *waves) answered(n int) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open[n] {
		delete(w.open, n)
		w.timer.Reset(quiet)
	}
	return w.now
}

func (w *waves) after(n int, r *http.Request) {
	select {
	case <-w.answered(n):
	case <-r.Context().Done():
	}
}

// end ends a wave unless an answer is still to come: that one will call it again.
func (w *waves) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.open) == 0 && len(w.asked[len(w.asked)-1]) > 0 {
		close(w.now)
		w.now, w.asked = make(chan struct{}), append(w.asked, nil)
	}
}

// chain returns the waves up to the one with the request, all of them if until is empty.
func (w *waves) chain(until func(request string) bool) [][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(w.asked), func(wave []string) bool { return len(wave) == 0 })
	if until != nil {
		if i := slices.IndexFunc(all, func(wave []string) bool { return slices.ContainsFunc(wave, until) }); i >= 0 {
			return all[:i+1]
		}
	}
	return all
}

func printed(chain [][]string) string {
	var b strings.Builder
	for i, wave := range chain {
		slices.Sort(wave)
		fmt.Fprintf(&b, "\n    wave %d\n      %s", i+1, strings.Join(wave, "\n      "))
	}
	return b.String()
}

// hostedClusterWritten is the request that the goal of create is about.
func hostedClusterWritten(request string) bool {
	return strings.HasPrefix(request, "POST /apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters?") &&
		!strings.Contains(request, "dryRun=All")
}

// firstWrite is the request with which delete begins.
func firstWrite(request string) bool {
	return (strings.HasPrefix(request, "PATCH ") || strings.HasPrefix(request, "DELETE ")) &&
		!strings.Contains(request, "dryRun=All")
}

// chains counts the requests that follow each other. On a line with a round trip of 100 ms each costs 0.1 s.
func (c *counter) chains(t *testing.T) {
	t.Helper()
	proxy, err := faultproxy.Start(t.Context(), c.kubeconfig, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, call := range []struct {
		name, args string
		code       int
		until      func(string) bool
	}{
		{"check", "check", 0, nil},
		{"status of one", "status kv-00", 0, nil},
		{"status of all", "status", 0, nil},
		{"create, until the HostedCluster is written", "create cluster --name NAME --wait none --yes", 0,
			hostedClusterWritten},
		{"create --dry-run", "create cluster --name NAME --wait none --dry-run=server", 6, nil},
		{"delete, until the first write", "delete cluster NAME --yes --wait=false", 0, firstWrite},
		{"completion of a name", "__complete status k", 0, nil},
	} {
		var best [][]string
		for range chainRuns {
			names++
			name := fmt.Sprintf("chain-%d", names)
			args := strings.ReplaceAll(call.args, "NAME", name)
			if strings.HasPrefix(args, "delete ") {
				c.asked(t, 0, "create", "cluster", "--name", name, "--wait", "none", "--skip-preflight", "all", "--yes")
			}
			if chain := c.chain(t, proxy, call.code, args).chain(call.until); best == nil || len(chain) < len(best) {
				best = chain
			}
			if b, err := budget.Read(file); err == nil && !golden.Updating() && float64(len(best)) <= b.Chains[call.name] {
				break
			}
		}
		hold(t, budget.Figure{Kind: "chains", Name: call.name, Now: float64(len(best)),
			Look: "hcctl -v " + call.args + printed(best)})
	}
}

// chain runs a command whose requests come in waves.
func (c *counter) chain(t *testing.T, proxy *faultproxy.Proxy, code int, args string) *waves {
	t.Helper()
	w := newWaves()
	proxy.Before(w.before)
	proxy.After(w.after)
	ctx, cancel := context.WithTimeout(t.Context(), commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, strings.Fields(args)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "KUBECONFIG="+proxy.Kubeconfig)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code tells
	// The cluster of status may still be being created (3), or its API server may not answer yet (1). The requests do not
	// depend on that.
	got := cmd.ProcessState.ExitCode()
	if got != code && (got != 3 && got != 1 || !strings.HasPrefix(args, "status")) {
		t.Fatalf("hcctl %s: exit %d, want %d\n%s%s", args, got, code, &out, printed(w.chain(nil)))
	}
	return w
}
