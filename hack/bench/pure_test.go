package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/audit"
)

func TestDearest(t *testing.T) {
	got := slowestSteps(map[string][]float64{"a": {1, 9, 2}, "b": {5}, "c": {5}, "d": {0}}, 3)
	if diff := cmp.Diff([]point{{Label: "b", Y: 5}, {Label: "c", Y: 5}, {Label: "a", Y: 2}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRequestsByKind(t *testing.T) {
	requests := []audit.Request{
		{Verb: "list", Resource: "nodes", URI: "/api/v1/nodes?limit=500"},
		{Verb: "list", Resource: "nodes", URI: "/api/v1/nodes?continue=abc&limit=500"},
		{Verb: "list", Resource: "pods", URI: "/api/v1/pods"},
		{Verb: "get", URI: "/version"},
		{Verb: "watch", Resource: "pods", URI: "/api/v1/pods?watch=true"},
	}
	if got := later(requests); got != 1 {
		t.Errorf("%d later pages, not 1", got)
	}
	if got := unpaged(requests); got != 1 {
		t.Errorf("%d lists without a limit, not 1", got)
	}
	want := []point{{Label: "list nodes", Y: 2}, {Label: "list pods", Y: 1}, {Label: "get /version", Y: 1},
		{Label: "watch pods", Y: 1}}
	if diff := cmp.Diff(want, byKind(requests)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReckoned(t *testing.T) {
	watch := func(seconds string) audit.Request {
		return audit.Request{Verb: "watch", URI: "/api/v1/pods?watch=true" + seconds}
	}
	poll := audit.Request{Verb: "get", URI: "/api/v1/pods/a"}
	for name, tc := range map[string]struct {
		begun, steady []audit.Request
		window        time.Duration
		want          float64
	}{
		"a poll in two minutes": {nil, []audit.Request{poll}, 2 * time.Minute, 10},
		"watches that are renewed": {[]audit.Request{watch(""), watch(""), watch(""), poll}, nil, 2 * time.Minute,
			4},
		"a watch of five minutes": {[]audit.Request{watch("&timeoutSeconds=300")}, nil, 2 * time.Minute, 4},
		"a watch that ends in the window": {[]audit.Request{watch("&timeoutSeconds=60")}, []audit.Request{poll, poll},
			2 * time.Minute, 20},
		"a watch that outlives it all": {[]audit.Request{watch("&timeoutSeconds=1800")}, nil, 2 * time.Minute, 0},
		"the whole time is counted, no guess": {[]audit.Request{watch("&timeoutSeconds=300")}, []audit.Request{poll},
			20 * time.Minute, 1},
	} {
		if got := extrapolated(tc.begun, tc.steady, tc.window); got != tc.want {
			t.Errorf("%s: %g, want %g", name, got, tc.want)
		}
	}
}

// Each change counts once, whatever else is told, and in whatever order.
func TestSightings(t *testing.T) {
	s := newSightings(2, 3)
	mark := func(i string) string { return `{"metadata":{"annotations":{"` + changeMark + `":"` + i + `"}}}` }
	err := s.read(json.NewDecoder(strings.NewReader(`{"metadata":{}} {"metadata":{"annotations":{"a":"b"}}}` + mark("2") +
		mark("2") + mark("0") + mark("7"))))
	if err == nil {
		t.Error("the end is no error")
	}
	select {
	case <-s.begun:
	default:
		t.Error("both clusters were told")
	}
	select {
	case <-s.all:
		t.Error("a change is missing")
	default:
	}
	if s.count() != 2 || s.listed() != 6 || !s.times[1].IsZero() || s.times[0].IsZero() {
		t.Errorf("%d changes of %d objects: %v", s.count(), s.listed(), s.times)
	}
	s.saw("1", time.Now())
	select {
	case <-s.all:
	default:
		t.Error("all changes were told")
	}
}

func TestGrowth(t *testing.T) {
	line := []point{{X: 0, Y: 10}, {X: 25, Y: 100}, {X: 30, Y: 100}, {X: 50, Y: 500}, {X: 85, Y: 110}, {X: 100, Y: 110}}
	if got, err := growth(line, 100); err != nil || got < 1.0999 || got > 1.1001 {
		t.Errorf("%g, %v", got, err)
	}
	if _, err := growth(line[:3], 100); err == nil {
		t.Error("memory that was not seen at the end is judged")
	}
}
