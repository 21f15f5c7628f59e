package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/audit"
	"github.com/hcctl/hcctl/internal/sandbox"
)

func TestSampleOf(t *testing.T) {
	begin := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	e := measuring.Ended{Took: time.Second, At: at(1000),
		Said: []measuring.Line{{After: 300 * time.Millisecond, Text: "first"}, {After: time.Second, Text: "last"}}}
	got := sampleOf(e, []audit.Request{
		{Verb: "get", URI: "/version", Received: at(200)},
		{Verb: "create", Resource: "hostedclusters", URI: "/apis?dryRun=All", Received: at(300)},
		{Verb: "create", Resource: "selfsubjectaccessreviews", Received: at(350)},
		{Verb: "create", Resource: "hostedclusters", Received: at(500)},
		{Verb: "create", Resource: "secrets", Received: at(400)},
		{Verb: "get", Resource: "secrets", Received: at(600)},
	})
	want := latencySample{First: 300 * time.Millisecond, Write: 400 * time.Millisecond, Written: 500 * time.Millisecond,
		End: time.Second, Before: 3, After: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMissedGoals(t *testing.T) {
	c := latencyCommand{Goal: time.Second, Before: 2, After: 1, Total: noLimit}
	for name, tc := range map[string]struct {
		row       latencyRow
		roundTrip time.Duration
		want      int
	}{
		"reached":              {latencyRow{End: time.Second, Before: 2, After: 1}, goalRoundTrip, 0},
		"slow":                 {latencyRow{End: 2 * time.Second}, goalRoundTrip, 1},
		"slow on another line": {latencyRow{End: 2 * time.Second}, 3 * goalRoundTrip, 0},
		"requests":             {latencyRow{Before: 3, After: 2}, 3 * goalRoundTrip, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.missed(tc.row, tc.roundTrip); len(got) != tc.want {
				t.Errorf("%q, want %d", got, tc.want)
			}
		})
	}
	c.Total = 4
	if got := c.missed(latencyRow{Before: 2, After: 1}, 0); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestLatencyTable(t *testing.T) {
	rows := []latencyRow{
		{Command: "check", Program: contenderNow, End: 500 * time.Millisecond, Before: 64, Missed: []string{"why"}},
		{Command: "check", Program: contenderBefore, End: time.Second, Before: 65},
	}
	got := latencyTable(goalRoundTrip, rows)
	for _, want := range []string{"Round trip 100ms added",
		"| check | hcctl |  |  |  | 0.50 | 64 | 0 | 0.50 | **missed: why** |",
		"| check | hcctl before |  |  |  | 1.00 | 65 | 0 |  |  |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// The short form: two commands that read, one run, a short line.
func TestLatencyInASandbox(t *testing.T) {
	program, hcctl := sandbox.Need(t), filepath.Join(t.TempDir(), "hcctl")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", hcctl, "github.com/hcctl/hcctl/cmd/hcctl").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w, err := launch(t.Context(), program, []string{"--profile", "ready", "--guests", "0", "--audit",
		"--gc-percent", sandbox.GCPercent, sandbox.NoOpenAPI})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
	l := &latencyBench{RoundTrip: 20 * time.Millisecond, Runs: 1, Progress: t.Output(),
		Programs: contenders(hcctl, "", "", ""), Only: []string{"version", "check", "create"}}
	rows, err := l.run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(l.Only) {
		t.Fatalf("%d rows, want %d", len(rows), len(l.Only))
	}
	for _, r := range rows {
		requests, writes := r.Before+r.After > 0, r.Written > 0
		if r.First == 0 || r.End < r.First || requests != (r.Command != "version") || writes != (r.Command == "create") {
			t.Errorf("%s", r)
		}
		if requests && r.End < 4*l.RoundTrip {
			t.Errorf("%s ended before the line let it", r)
		}
	}
}
