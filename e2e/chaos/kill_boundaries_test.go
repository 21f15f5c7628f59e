package chaos

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// every request, or only those that write.
func every(*http.Request) bool { return true }
func writes(r *http.Request) bool {
	review := strings.Contains(r.URL.Path, "accessreviews") // a question, though it is posted
	return r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !review
}

// mostKills ends a list that has no end: a run that writes the same thing again and again.
const mostKills = 2000

// boundary is a moment at a request: before the server hears of it, or when it has answered and hcctl does not know.
type boundary struct {
	request int
	after   bool
}

// boundaryOf is the i-th, from 1.
func boundaryOf(i int) boundary { return boundary{(i + 1) / 2, i%2 == 0} }

// killedAt runs hcctl and kills it with -9 at the boundary, counted over the requests of which holds. It returns how it ended, and whether
// the boundary was come to.
func (w *world) killedAt(t *testing.T, b boundary, which func(*http.Request) bool, args ...string) (e program.Ended, reached bool) {
	t.Helper()
	var mu sync.Mutex
	var run *program.Running
	count, at := 0, map[int]bool{}
	started := make(chan struct{})
	kill := func() {
		<-started
		mu.Lock()
		reached = true
		mu.Unlock()
		run.Kill()
	}
	w.proxy.Use(func(n int, r *http.Request) faultproxy.Fault {
		if !which(r) {
			return faultproxy.Pass()
		}
		mu.Lock()
		count++
		here := count == b.request
		at[n] = here
		mu.Unlock()
		if here && !b.after {
			kill()
			return faultproxy.DropBefore()
		}
		return faultproxy.Pass()
	})
	w.proxy.After(func(n int, _ *http.Request) {
		mu.Lock()
		here := at[n] && b.after
		mu.Unlock()
		if here {
			kill()
		}
	})
	defer func() { w.proxy.Use(nil); w.proxy.After(nil) }()
	run = w.hcctl.Start(t, args...)
	close(started)
	e = run.Wait(t)
	mu.Lock()
	defer mu.Unlock()
	return e, reached
}

// killedInTurn runs hcctl again and again, each going on from what the ones before have left, until one ends by itself: the i-th run is killed at
// its i-th request boundary, or, of writes alone, at its next one, before the server hears of it and then after.
func (w *world) killedInTurn(t *testing.T, onlyWrites bool, args ...string) {
	t.Helper()
	which, what := every, "request"
	if onlyWrites {
		which, what = writes, "write"
	}
	for i := 1; ; i++ {
		at := boundaryOf(i)
		if onlyWrites {
			at.request = 1
		}
		e, reached := w.killedAt(t, at, which, args...)
		if reached && i < mostKills {
			continue
		}
		// A deletion that was killed when all was gone has nothing left to find.
		nothingLeft := args[0] == "delete" && strings.Contains(e.Err, "no hosted cluster")
		if reached || e.Code != 0 && !nothingLeft {
			t.Fatalf("after it was killed at %d boundaries: %s", i-1, e)
		}
		t.Logf("hcctl %s: killed %d times, at each %s boundary in turn", strings.Join(args[:2], " "), i-1, what)
		return
	}
}
