package status

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
)

// told is what Follow tells, as text, and where it ended.
type told struct {
	lines chan string
	end   chan error
	stop  context.CancelFunc
}

func following(t *testing.T, c *kube.Client, q Query) *told {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &told{lines: make(chan string, 100), end: make(chan error, 1), stop: cancel}
	go func() {
		f.end <- Follow(ctx, c, q, func(changes []Change) error {
			for _, change := range changes {
				f.lines <- change.Type + " " + change.Object.GetName() + " " + change.Object.GetResourceVersion()
			}
			return nil
		}, func(err error) {
			if err == nil {
				f.lines <- "back"
			} else {
				f.lines <- "trouble"
			}
		})
	}()
	t.Cleanup(cancel)
	return f
}

func (f *told) expect(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-f.lines:
			if got != w {
				t.Fatalf("told %q, want %q", got, w)
			}
		case err := <-f.end:
			t.Fatalf("ended with %v, want %q", err, w)
		case <-time.After(20 * time.Second):
			t.Fatalf("nothing told, want %q", w)
		}
	}
}

func (f *told) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-f.end:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
		return nil
	}
}

func TestFollowSurvivesWhatWatchesSuffer(t *testing.T) {
	first, second := make(chan object), make(chan object)
	f := &fake{t: t, answers: map[string]any{allPath: []any{cluster("clusters", "a", "1", nil),
		cluster("clusters", "b", "1", nil)}}, watches: []chan object{first, second}}
	follow := following(t, f.client(), Query{Resource: HostedClusters()})
	follow.expect(t, "ADDED a 1", "ADDED b 1")

	first <- object{"type": "MODIFIED", "object": cluster("clusters", "a", "2", nil)}
	follow.expect(t, "MODIFIED a 2")
	first <- object{"type": "ADDED", "object": cluster("clusters", "c", "3", nil)}
	follow.expect(t, "ADDED c 3")

	// The watch breaks, the server has forgotten the version, and much has happened meanwhile.
	reborn := cluster("clusters", "c", "7", nil)
	reborn["metadata"].(object)["uid"] = "another"
	f.mu.Lock()
	f.answers[allPath] = []any{cluster("clusters", "a", "2", nil), reborn, cluster("clusters", "d", "6", nil)}
	f.mu.Unlock()
	first <- object{"type": "ERROR", "object": refusal(http.StatusGone)}
	follow.expect(t, "DELETED b 1", "DELETED c 3", "ADDED c 7", "ADDED d 6")

	second <- object{"type": "DELETED", "object": cluster("clusters", "a", "9", nil)}
	follow.expect(t, "DELETED a 2")
	follow.stop()
	if err := follow.ended(t); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestFollowTellsOfTroubleOnce(t *testing.T) {
	stream := make(chan object)
	f := &fake{t: t, answers: map[string]any{allPath: []any{cluster("clusters", "a", "1", nil)}},
		watches: []chan object{stream}}
	follow := following(t, f.client(), Query{Resource: HostedClusters()})
	follow.expect(t, "ADDED a 1")
	f.mu.Lock()
	f.answers[allPath] = http.StatusInternalServerError
	f.mu.Unlock()
	stream <- object{"type": "ERROR", "object": refusal(http.StatusGone)}
	follow.expect(t, "trouble")
	f.mu.Lock()
	f.answers[allPath] = []any{cluster("clusters", "a", "2", nil)}
	f.mu.Unlock()
	follow.expect(t, "back", "MODIFIED a 2")
}

func TestFollowOfNames(t *testing.T) {
	a := cluster("clusters", "a", "1", nil)
	f := &fake{t: t, answers: map[string]any{clustersPath: []any{a, cluster("clusters", "b", "1", nil)}, clustersPath +
		"/a": a, allPath: []any{a}}}
	follow := following(t, f.client(), Query{Resource: HostedClusters(), Namespace: "clusters", Names: []string{"a"}})
	follow.expect(t, "ADDED a 1")
	follow.stop()
	_ = follow.ended(t)
	for _, r := range f.asked() {
		if strings.Contains(r, "watch=") && !strings.Contains(r, "metadata.name%3Da") {
			t.Errorf("watches more than the one asked for: %s", r)
		}
	}
	if err := following(t, f.client(), Query{Resource: HostedClusters(), Namespace: "clusters", Names: []string{"x"}}).
		ended(t); err == nil || !strings.Contains(err.Error(), `no hosted cluster "x"`) {
		t.Errorf("a name there is not: %v", err)
	}
}

func TestFollowEndsWhereLookingAgainDoesNotHelp(t *testing.T) {
	f := &fake{t: t, answers: map[string]any{allPath: http.StatusForbidden}}
	if err := following(t, f.client(), Query{Resource: HostedClusters()}).ended(t); err == nil ||
		!strings.Contains(err.Error(), "may not") {
		t.Errorf("forbidden: %v", err)
	}
	if err := following(t, (&fake{t: t}).client(), Query{Resource: HostedClusters()}).ended(t); err == nil ||
		!strings.Contains(err.Error(), "HyperShift is not installed") {
		t.Errorf("without HyperShift: %v", err)
	}
}
