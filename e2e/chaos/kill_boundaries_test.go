// Package chaos does to hcctl, and to what it talks to, what happens to programs: it is killed, interrupted, run
// twice, left without a disk or somebody who reads. See docs/reliability.md. HCCTL_CHAOS=full runs the whole lists,
// HCCTL_CHAOS_SEED repeats a course of chance.
package chaos

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// mostKills ends a list that has no end: a run that writes something else each time.
const mostKills = 1000

// moment is when at a request hcctl is killed: not at all, before the server hears of it, or when it has answered and
// hcctl does not know.
type moment int

const (
	never moment = iota
	before
	after
)

// picks says of each request of a run, one at a time, whether hcctl is killed there.
type picks func(r *http.Request) moment

// writes tells requests that change something.
func writes(r *http.Request) bool {
	review := strings.HasSuffix(r.URL.Path, "accessreviews") // a question, though it is posted
	return r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !review
}

// theNth picks the i-th boundary, from 1: each request has two. Of writes alone, if it is told to.
func theNth(i int, onlyWrites bool) picks {
	count, when := 0, before
	if i%2 == 0 {
		when = after
	}
	return func(r *http.Request) moment {
		if onlyWrites && !writes(r) {
			return never
		}
		if count++; count == (i+1)/2 {
			return when
		}
		return never
	}
}

// uncovered picks the first boundary of a write that is not in covered yet, where it is noted. The same write again,
// such as one to make what is there, is not another.
func uncovered(covered map[string]moment) picks {
	picked := false
	return func(r *http.Request) moment {
		if picked || !writes(r) {
			return never
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return never // it is cut off as it is
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		key := fmt.Sprintf("%s %s %x", r.Method, r.URL.Path, sha256.Sum256(withoutData(body)))
		if covered[key] == after {
			return never
		}
		picked = true
		covered[key]++
		return covered[key]
	}
}

// withoutData is a body without what a Secret holds: each run of create makes another etcd key, and it is the same
// write.
func withoutData(body []byte) []byte {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	secret, ok := object.(*corev1.Secret)
	if err != nil || !ok {
		return body
	}
	secret.Data, secret.StringData = nil, nil
	rest, err := json.Marshal(secret)
	if err != nil {
		return body
	}
	return rest
}

// killedAt runs hcctl and kills it with -9 at the boundary that is picked. It returns how it ended, and whether the
// boundary was come to.
func killedAt(t *testing.T, w *world.World, pick picks, args ...string) (e program.Ended, reached bool) {
	t.Helper()
	var mu sync.Mutex
	var run *program.Running
	at := map[int]bool{}
	started := make(chan struct{})
	kill := func() {
		<-started
		mu.Lock()
		reached = true
		mu.Unlock()
		run.Kill()
	}
	w.Proxy.Use(func(n int, r *http.Request) faultproxy.Fault {
		mu.Lock()
		when := pick(r)
		at[n] = when == after
		mu.Unlock()
		if when == before {
			kill()
			return faultproxy.DropBefore()
		}
		return faultproxy.Pass()
	})
	w.Proxy.After(func(n int, _ *http.Request) {
		mu.Lock()
		here := at[n]
		mu.Unlock()
		if here {
			kill()
		}
	})
	defer func() { w.Proxy.Use(nil); w.Proxy.After(nil) }()
	run = w.Hcctl.Start(t, args...)
	close(started)
	e = run.Wait(t)
	mu.Lock()
	defer mu.Unlock()
	return e, reached
}

// killedInTurn runs hcctl again and again, each going on from what the ones before have left, until one ends by
// itself. The i-th run is killed at its i-th request boundary; or, of writes alone, each at the first boundary of a
// write at which none was killed yet.
func killedInTurn(t *testing.T, w *world.World, onlyWrites bool, args ...string) {
	t.Helper()
	what, covered := "request", map[string]moment{}
	for i := 1; ; i++ {
		pick := theNth(i, false)
		if onlyWrites {
			what, pick = "write", uncovered(covered)
		}
		e, reached := killedAt(t, w, pick, args...)
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
