package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

const longWarning = "none of driver openshift-storage.rbd.csi.ceph.com is the default one, so snapshots never become ready"

// wholeIn fails unless the words of a text follow each other, however it is broken into lines, and nothing is cut.
func wholeIn(t *testing.T, shown, text string) {
	t.Helper()
	if joined := strings.Join(strings.Fields(shown), " "); !strings.Contains(joined, text) || strings.Contains(joined, "…") {
		t.Errorf("no %q, or something is cut, in:\n%s", text, shown)
	}
}

// TestFinalMessagesAreWhole at 40 columns: warnings with what to do, an interruption, a check, a tree.
func TestFinalMessagesAreWhole(t *testing.T) {
	const columns, todo = 40, "oc annotate volumesnapshotclass x says which one is the default of its driver"
	warned := step.Result{Step: &step.Step{ID: "storage/snapshot-class", Title: "snapshot class", Group: "Storage"},
		Outcome: step.OutcomeWarned, Finding: step.Missing(longWarning).WithHint(todo)}
	p := &screenOf{t: t, width: columns}
	l := newManualLive(p, Screen{Redraw: true, Width: columns})
	close(l.stopped)
	l.Observe(step.Event{Phase: step.Finished, Step: warned.Step, Result: &warned})
	l.Close()
	wholeIn(t, p.shown(), "! storage/snapshot-class: "+longWarning+" → "+todo)
	var out bytes.Buffer
	s := Screen{Width: columns}
	if err := Interrupted(&out, s, Interruption{Run: &step.Report{Results: []step.Result{
		ended("a/b", step.OutcomeInterrupted, "", step.Pending(longWarning))}}}); err != nil {
		t.Fatal(err)
	}
	wholeIn(t, out.String(), "then a/b: "+longWarning)
	out.Reset()
	if err := Check(&out, step.Report{Results: []step.Result{warned}}, s); err != nil {
		t.Fatal(err)
	}
	wholeIn(t, out.String(), "! snapshot class: missing: "+longWarning+" → "+todo)
	out.Reset()
	if err := Tree(&out, s, Branch{Mark: MarkBad, Title: "claim", Text: longWarning, Hint: todo}); err != nil {
		t.Fatal(err)
	}
	wholeIn(t, out.String(), "✗ claim: "+longWarning+" → "+todo)
	for line := range strings.Lines(out.String()) {
		if cells(strings.TrimRight(line, "\n")) > columns {
			t.Errorf("%d columns: %s", cells(line), line)
		}
	}
}

// TestCheckOnATerminal: a group that is well is one line, of the others what is not well, unless all is asked for.
func TestCheckOnATerminal(t *testing.T) {
	r := step.Report{Results: []step.Result{
		result("cluster/version", step.OutcomeDone, step.OK("4.20.3")),
		result("cluster/nodes", step.OutcomeDone, step.OK("9")),
		result("storage/class", step.OutcomeDone, step.OK("ceph")),
		result("storage/rwx", step.OutcomeWarned, step.Missing("no RWX").On("StorageProfile a")),
	}}
	for _, all := range []bool{false, true} {
		var out bytes.Buffer
		if err := Check(&out, r, Screen{Width: 80, All: all}); err != nil {
			t.Fatal(err)
		}
		want := `✓ cluster: 2 ok
storage: 1 ok
  ! the storage/rwx: missing: StorageProfile a: no RWX
      hcctl explain storage/rwx

3 ok, 1 warning
`
		if (out.String() == want) == all || strings.Contains(out.String(), "the cluster/nodes: 9") != all {
			t.Errorf("all: %t\n%s", all, out.String())
		}
	}
}

// TestPlainProgressIsPaced: what changes only in numbers and details is told now and then, the newest of it also when
// nothing follows, and a new reason at once.
func TestPlainProgressIsPaced(t *testing.T) {
	var out bytes.Buffer
	begin := time.Now().Add(-time.Hour)
	p := &plain{w: &out, begin: begin}
	s := &step.Step{ID: "cluster/rollout"}
	say := func(seconds int, text string, args ...any) {
		p.Observe(step.Event{Time: begin.Add(time.Duration(seconds) * time.Second), Phase: step.WaitingOn, Step: s,
			Finding: step.Pending(text, args...)})
	}
	for i := range 20 {
		say(i, "%d of 21 cluster operators ready: console: late", i)
	}
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("%d lines in 20 seconds:\n%s", n, out.String())
	}
	p.mu.Lock()
	late := p.throttled[s]
	p.mu.Unlock()
	p.writeLate(late)
	if !strings.Contains(out.String(), "19 of 21") {
		t.Errorf("the newest line is not told:\n%s", out.String())
	}
	say(21, "roll-out: Working towards 4.20.3: 508 of 620 done")
	say(22, "roll-out: Working towards 4.20.3: 509 of 620 done")
	p.Observe(step.Event{Time: begin.Add(23 * time.Second), Phase: step.Finished, Step: s,
		Result: &step.Result{Step: s, Outcome: step.OutcomeDone, Finding: step.OK("4.20.3 rolled out")}})
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 4 ||
		!strings.Contains(lines[3], "rolled out") {
		t.Errorf("lines:\n%s", out.String())
	}
	p.Close()
}

// maxLinesOfACreate is how many lines a create of 15 minutes writes where there is no terminal.
const maxLinesOfACreate = 60

// TestACreateOfFifteenMinutesIsShort: a recorded create, stretched to 15 minutes, in which what waits says something
// new each second, with its table and summary.
func TestACreateOfFifteenMinutesIsShort(t *testing.T) {
	_, events := recorded(t, "create")
	var out bytes.Buffer
	begin, length := events[0].Time, events[len(events)-1].Time.Sub(events[0].Time)
	stretched := func(at time.Time) time.Time {
		return begin.Add(time.Duration(float64(at.Sub(begin)) / float64(length) * float64(15*time.Minute)))
	}
	p := &plain{w: &out, begin: begin}
	defer p.Close()
	r := step.Report{Elapsed: 15 * time.Minute}
	for i, e := range events {
		e.Time = stretched(e.Time)
		p.Observe(e)
		if e.Result != nil {
			r.Results = append(r.Results, *e.Result)
		}
		if i+1 == len(events) || e.Finding.State != step.StatePending {
			continue
		}
		for at, n := e.Time.Add(time.Second), 0; at.Before(stretched(events[i+1].Time)); at, n = at.Add(time.Second), n+1 {
			e.Time, e.Phase = at, step.WaitingOn
			e.Finding.Message = fmt.Sprint(events[i].Finding.Message, ": ", n)
			p.Observe(e)
		}
	}
	if err := Table(&out, r); err != nil {
		t.Fatal(err)
	}
	if err := Summary(&out, r); err != nil {
		t.Fatal(err)
	}
	const heading, ending = 2, 5
	if n := strings.Count(out.String(), "\n") + heading + ending; n > maxLinesOfACreate {
		t.Errorf("%d lines:\n%s", n, out.String())
	} else {
		t.Logf("%d lines", n)
	}
}
