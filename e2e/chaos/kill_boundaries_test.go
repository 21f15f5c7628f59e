// Package chaos tests hcctl under process faults: kills, signals, several runs at the same time, full disks, closed
// streams. See docs/dev/reliability.md. HCCTL_CHAOS=full runs the whole lists, HCCTL_CHAOS_SEED repeats a random
// sequence.
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

// maxKills ends a list that has no end: a run that writes something else each time.
const maxKills = 1000

// moment is when a request's run is killed: never, before the server receives the request, or after it has answered but
// before hcctl knows.
type moment int

const (
	never moment = iota
	before
	after
)

// picks decides for each request of a run whether hcctl is killed there.
type picks func(r *http.Request) moment

// writes tells requests that change something.
func writes(r *http.Request) bool {
	review := strings.HasSuffix(r.URL.Path, "accessreviews") // a read, although it is a POST
	return r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !review
}

// theNth picks the i-th boundary, counted from 1; each request has two. With onlyWrites it counts writes only.
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

// uncovered picks the first boundary of a write that is not in covered yet, and notes it there. sameWrite returns equal
// texts for writes of which one is enough.
func uncovered(covered map[string]moment, sameWrite func(*http.Request) (string, error)) picks {
	picked := false
	return func(r *http.Request) moment {
		if picked || !writes(r) {
			return never
		}
		key, err := sameWrite(r)
		if err != nil {
			return never // it is cut off as it is
		}
		if covered[key] == after {
			return never
		}
		picked = true
		covered[key]++
		return covered[key]
	}
}

// byContent tells writes apart by what they send. A repeated write is not a new one.
func byContent(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return fmt.Sprintf("%s %s %x", r.Method, r.URL.Path, sha256.Sum256(withoutData(body))), nil
}

// byKind tells writes apart by method, resource and subresource: one of several Subscriptions stands for all.
func byKind(r *http.Request) (string, error) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	groupVersion := 2 // api/v1
	if parts[0] == "apis" {
		groupVersion = 3
	}
	if len(parts) <= groupVersion {
		return "", fmt.Errorf("%s is not the path of an object", r.URL.Path)
	}
	kind, rest := parts[:groupVersion], parts[groupVersion:]
	if rest[0] == "namespaces" && len(rest) > 2 && rest[2] != "finalize" && rest[2] != "status" {
		rest = rest[2:]
	}
	kind = append(kind, rest[0])
	if len(rest) > 2 {
		kind = append(kind, rest[2:]...)
	}
	return r.Method + " " + strings.Join(kind, "/"), nil
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

// killedAt runs hcctl and kills it with -9 at the picked boundary. It returns how the run ended, and whether it reached
// the boundary.
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

// boundaries are those at which killedInTurn kills.
type boundaries string

// The boundaries of every request; of every write; of the first write of each kind.
const (
	ofRequests boundaries = "request"
	ofWrites   boundaries = "write"
	ofKinds    boundaries = "kind of write"
)

// inShort returns these boundaries in the short form, and those of every request in the whole one.
func inShort(short boundaries) boundaries {
	if world.WholeLists() {
		return ofRequests
	}
	return short
}

// killedInTurn runs hcctl repeatedly, each run continuing the previous one's work, until one ends by itself. The i-th
// run is killed at its i-th request boundary, or at the first boundary of a write, or of a kind of write, that no run
// was killed at yet.
func killedInTurn(t *testing.T, w *world.World, at boundaries, args ...string) {
	t.Helper()
	covered := map[string]moment{}
	for i := 1; ; i++ {
		pick := theNth(i, false)
		switch at {
		case ofWrites:
			pick = uncovered(covered, byContent)
		case ofKinds:
			pick = uncovered(covered, byKind)
		case ofRequests:
		}
		e, reached := killedAt(t, w, pick, args...)
		if reached && i < maxKills {
			continue
		}
		// A killed deletion may already have deleted everything.
		nothingLeft := args[0] == "delete" && strings.Contains(e.Err, "no hosted cluster")
		if reached || e.Code != 0 && !nothingLeft {
			t.Fatalf("after it was killed at %d boundaries: %s", i-1, e)
		}
		t.Logf("hcctl %s: killed %d times, at each %s boundary in turn", strings.Join(args[:2], " "), i-1, at)
		return
	}
}
