package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func result(id step.ID, o step.Outcome, f step.Finding) step.Result {
	group, _, _ := strings.Cut(string(id), "/")
	return step.Result{Step: &step.Step{ID: id, Group: group, Title: "the " + string(id), Docs: "docs/checks/x.md"},
		Outcome: o, Finding: f}
}

func TestCheckText(t *testing.T) {
	appliable := result("storage/pool", step.OutcomeMissing,
		step.Missing("no\n pool").WithHint("none of the reader's business"))
	appliable.Step.Apply = func(context.Context) (step.Change, error) { return step.Created, nil }
	r := step.Report{Results: []step.Result{
		result("cluster/version", step.OutcomeDone, step.OK("4.20.3")),
		result("storage/class", step.OutcomeMissing, step.Missing("no StorageClass is the default").WithHint(
			"hcctl bootstrap")),
		result("storage/rwx", step.OutcomeWarned, step.Missing("no RWX").On("StorageProfile a")),
		appliable,
	}}
	var out bytes.Buffer
	if err := Check(&out, r, Screen{}); err != nil {
		t.Fatal(err)
	}
	want := `cluster
  ✓ the cluster/version  4.20.3

storage
  ✗ the storage/class    missing: no StorageClass is the default
      → hcctl bootstrap
      https://github.com/hcctl/hcctl/blob/main/docs/checks/x.md
  ! the storage/rwx      missing: StorageProfile a: no RWX
      https://github.com/hcctl/hcctl/blob/main/docs/checks/x.md
  ✗ the storage/pool     missing: no pool

1 ok, 2 missing, 1 warning
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCheckJSON(t *testing.T) {
	res := result("a/b", step.OutcomeFailed, step.Unknown("not allowed").On("Secret x/y"))
	res.Elapsed = 1234567 * time.Microsecond
	var out bytes.Buffer
	if err := CheckJSON(&out, step.Report{Results: []step.Result{res}}); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "hcctl.dev/v1alpha1", "kind": "CheckReport", "ok": false,
		"steps": []any{map[string]any{
			"id": "a/b", "group": "a", "title": "the a/b", "severity": "required", "state": "unknown", "message": "not allowed",
			"object": "Secret x/y", "docs": DocsBase + "docs/checks/x.md", "seconds": 1.235,
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPlainProgressIsOneLinePerChange(t *testing.T) {
	var out bytes.Buffer
	begin := time.Now()
	p := &plain{w: &out, begin: begin}
	s := &step.Step{ID: "storage/cluster", Apply: func(context.Context) (step.Change, error) {
		return step.Unchanged, nil
	}}
	advice := &step.Step{ID: "storage/etcd", Severity: step.Advisory}
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	done := step.Result{Step: s, Outcome: step.OutcomeDone, Change: step.Created, Finding: step.OK("Ready")}
	failed := step.Result{Step: s, Outcome: step.OutcomeFailed, Err: errors.New("no permission")}
	p.Observe(step.Event{Time: at(0), Phase: step.Checked, Step: s, Finding: step.Missing("no StorageCluster")})
	p.Observe(step.Event{Time: at(1), Phase: step.Applied, Step: s, Change: step.Created})
	p.Observe(step.Event{Time: at(12), Phase: step.WaitingOn, Step: s,
		Finding: step.Pending("2 of 3 mons").On("StorageCluster a/b")})
	p.Observe(step.Event{Time: at(90), Phase: step.WaitingOn, Step: s, Finding: step.OK("Ready")})
	p.Observe(step.Event{Time: at(90), Phase: step.Finished, Step: s, Result: &done})
	p.Observe(step.Event{Time: at(90), Phase: step.Finished, Step: s, Result: &failed})
	// What ends at once, and what was only written again, is told once.
	slow := step.Missing("network file system")
	p.Observe(step.Event{Time: at(91), Phase: step.Checked, Step: advice, Finding: slow})
	p.Observe(step.Event{Time: at(91), Phase: step.Finished, Step: advice,
		Result: &step.Result{Step: advice, Outcome: step.OutcomeWarned, Finding: slow}})
	p.Observe(step.Event{Time: at(92), Phase: step.Checked, Step: s, Finding: step.Broken("phase Ignored")})
	p.Observe(step.Event{Time: at(92), Phase: step.Applied, Step: s, Change: step.Unchanged})
	want := `  0.0s  storage/cluster                   to do       no StorageCluster
  1.0s  storage/cluster                   created, checking
   12s  storage/cluster                   pending     StorageCluster a/b: 2 of 3 mons
 1m30s  storage/cluster                   created     Ready
 1m30s  storage/cluster                   failed      no permission
 1m31s  storage/etcd                      warning     network file system
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryCounts(t *testing.T) {
	var out bytes.Buffer
	changed := result("a", step.OutcomeDone, step.OK(""))
	changed.Change = step.Created
	held := result("e", step.OutcomeDone, step.OK(""))
	held.Change = step.Unchanged
	r := step.Report{Elapsed: 41 * time.Second, Results: []step.Result{changed, held,
		result("b", step.OutcomeDone, step.OK("")),
		result("c", step.OutcomeBlocked, step.Finding{}), result("d", step.OutcomeTimedOut, step.Pending("x")),
		result("f", step.OutcomeInterrupted, step.Pending("x"))}}
	if err := Summary(&out, r); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "6 steps in 41s: 1 unchanged, 1 created, 1 waited for, 1 failed, 1 interrupted, 1 not "+
		"begun\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScreenOfAPipeIsBare(t *testing.T) {
	if got := ScreenOf(&bytes.Buffer{}, func(string) string { return "" }); got.Redraw || got.Colour || got.Width != 0 ||
		got.Size != nil {
		t.Errorf("a pipe is told to show %+v", got)
	}
}

func TestCheckYAMLAndNames(t *testing.T) {
	r := step.Report{Results: []step.Result{result("a/b", step.OutcomeFailed, step.Unknown("not allowed")),
		result("c/d", step.OutcomeDone, step.OK("fine"))}}
	var out bytes.Buffer
	if err := CheckNames(&out, r); err != nil || out.String() != "a/b\nc/d\n" {
		t.Errorf("names %q (%v)", out.String(), err)
	}
	out.Reset()
	if err := CheckYAML(&out, r); err != nil || !strings.HasPrefix(out.String(),
		"apiVersion: hcctl.dev/v1alpha1\nkind: CheckReport\nok: false\nsteps:\n") ||
		!strings.Contains(out.String(), "  state: unknown\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
