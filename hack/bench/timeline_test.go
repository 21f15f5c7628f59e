package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOwnShare(t *testing.T) {
	tl, err := readTimeline(strings.NewReader(`
{"type":"plan","time":"2026-01-01T00:00:00Z","steps":[{"id":"a"},{"id":"b","needs":["a"]},{"id":"c","needs":["a","b"]},{"id":"quick"}]}
{"type":"begun","step":"a","time":"2026-01-01T00:00:00Z"}
{"type":"finished","step":"quick","outcome":"done","time":"2026-01-01T00:00:01Z"}
{"type":"applying","step":"a","time":"2026-01-01T00:00:00.100Z"}
{"type":"finished","step":"a","outcome":"done","time":"2026-01-01T00:00:10.050Z","finding":{"object":"Thing a"}}
{"type":"begun","step":"b","time":"2026-01-01T00:00:10.051Z"}
{"type":"applying","step":"b","time":"2026-01-01T00:00:10.081Z"}
{"type":"applying","step":"b","time":"2026-01-01T00:00:12Z"}
{"type":"waiting","step":"b","time":"2026-01-01T00:00:13Z","finding":{"state":"pending","object":"Thing that b brings"}}
{"type":"waiting","step":"b","time":"2026-01-01T00:00:20.010Z","finding":{"state":"ok","object":"Thing b"}}
{"type":"finished","step":"b","outcome":"done","time":"2026-01-01T00:00:20.010Z","finding":{"object":"Thing b"}}
{"type":"begun","step":"c","time":"2026-01-01T00:00:20.011Z"}
{"type":"finished","step":"c","outcome":"warned","time":"2026-01-01T00:00:20.031Z"}
{"type":"summary","time":"2026-01-01T00:00:20.040Z"}`[1:]))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]time.Time{"Thing a": tl.begin.Add(10 * time.Second), "Thing b": tl.begin.Add(15 * time.Second),
		"Thing that b brings": tl.begin.Add(20 * time.Second)}
	got := ownShare(tl, func(object string, after, before time.Time) (time.Time, bool) {
		at, ok := seen[object]
		return at, ok && at.After(after) && at.Before(before)
	})
	want := share{
		firstWrites: []delay{{"b", 81 * time.Millisecond}},
		ends:        []delay{{"a", 50 * time.Millisecond}, {"b", 10 * time.Millisecond}},
		// a: 100 ms to its first write and 50 ms to its end; b: 30 ms and 10 ms; c, which held: all its 20 ms.
		critical: 210 * time.Millisecond,
		path:     []string{"a", "b", "c"},
		whole:    20*time.Second + 40*time.Millisecond,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(share{}, delay{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFailedRunHasNoShare(t *testing.T) {
	_, err := readTimeline(strings.NewReader(`{"type":"plan","time":"2026-01-01T00:00:00Z","steps":[{"id":"a"}]}
{"type":"finished","step":"a","outcome":"broken","time":"2026-01-01T00:00:01Z"}`))
	if err == nil || !strings.Contains(err.Error(), "step a ended broken") {
		t.Errorf("got %v", err)
	}
}
