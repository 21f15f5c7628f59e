package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/step"
)

// ended is a step with its outcome.
func ended(id string, o step.Outcome, c step.Change, f step.Finding) step.Result {
	subject := ""
	if name, _, of := strings.Cut(id, "/"); of && strings.HasPrefix(name, "kv-") {
		subject = "clusters/" + name
	}
	return step.Result{Step: &step.Step{ID: step.ID(id), Title: id, Subject: subject}, Outcome: o, Change: c, Finding: f,
		Begun: time.Unix(1, 0)}
}

func TestInterruption(t *testing.T) {
	notBegun := step.Unknown("not begun")
	vms := step.Pending("Unschedulable: 0/3 nodes are available:\n3 Insufficient memory.").On("VirtualMachine x/kv-00-abc")
	trouble := vms
	trouble.Trouble = true
	fleet := []step.Result{
		ended("kv-00/objects", step.OutcomeDone, step.Created, step.OK("")),
		ended("kv-00/api", step.OutcomeDone, "", step.OK("")),
		ended("kv-01/objects", step.OutcomeDone, step.Created, step.OK("")),
		ended("kv-01/api", step.OutcomeInterrupted, "", vms),
		ended("kv-02/objects", step.OutcomeInterrupted, "", notBegun),
		ended("kv-03/objects", step.OutcomeDone, step.Unchanged, step.OK("")),
	}
	for name, tc := range map[string]struct {
		i       Interruption
		columns int
		want    string
	}{
		"before a run": {Interruption{Again: "hcctl check"}, 0,
			"Interrupted.\nNothing was changed.\nTo continue: hcctl check\n"},
		"a wait": {Interruption{Run: &step.Report{Results: []step.Result{
			ended("a/b", step.OutcomeDone, "", step.OK("")), ended("a/c", step.OutcomeInterrupted, "", vms),
			ended("a/d", step.OutcomeBlocked, "", step.Unknown("needs a/c")),
		}}, Again: "hcctl wait cluster kv-00"}, 0, "Interrupted: 1 of 3 steps done, then a/c: Unschedulable: 0/3 nodes are " +
			"available: 3 Insufficient memory.\nNothing was changed.\nTo continue: hcctl wait cluster kv-00\n"},
		"the step in trouble": {Interruption{Run: &step.Report{Results: []step.Result{
			ended("a/a", step.OutcomeInterrupted, "", notBegun),
			ended("a/b", step.OutcomeInterrupted, "", step.Pending("1 of 2")),
			ended("a/c", step.OutcomeInterrupted, step.Created, trouble),
		}}}, 60, "Interrupted: 0 of 3 steps done, then a/c: Unschedulable:\n0/3 nodes are available: 3 Insufficient memory.\n" +
			"So far: begun a/c.\n"},
		"changes": {Interruption{Run: &step.Report{Results: []step.Result{
			ended("a/1", step.OutcomeDone, step.Created, step.OK("")), ended("a/2", step.OutcomeDone, step.Created, step.OK("")),
			ended("a/3", step.OutcomeDone, step.Created, step.OK("")), ended("a/4", step.OutcomeDone, step.Created, step.OK("")),
			ended("a/5", step.OutcomeDone, step.Configured, step.OK("")),
			ended("a/6", step.OutcomeDone, step.Unchanged, step.OK("")),
			ended("a/7", step.OutcomeInterrupted, "", notBegun),
		}}}, 0, "Interrupted: 6 of 7 steps done.\nSo far: created a/1, a/2, a/3 and 1 more; configured a/5.\n"},
		"a fleet": {Interruption{Run: &step.Report{Results: fleet}, Again: "hcctl apply -f fleet.yaml"}, 80,
			"Interrupted: 2 of 4 hosted clusters done.\nSo far: created clusters/kv-00; begun clusters/kv-01.\n" +
				"To continue: hcctl apply -f fleet.yaml\n"},
		"what was found": {Interruption{Run: &step.Report{Results: fleet[:2]},
			Exists: "There is now: HostedCluster kv-00"}, 0,
			"Interrupted: 1 of 1 hosted cluster done.\nThere is now: HostedCluster kv-00.\n"},
	} {
		var out strings.Builder
		if err := Interrupted(&out, Screen{Width: tc.columns}, tc.i); err != nil {
			t.Fatal(err)
		}
		if out.String() != tc.want {
			t.Errorf("%s:\n%swant:\n%s", name, out.String(), tc.want)
		}
	}
}

// TestInterruptionOfOthersWords: what objects and servers say makes no line, moves no cursor and tells no secret.
func TestInterruptionOfOthersWords(t *testing.T) {
	redact.RememberValues(token)
	r := evilReport(step.OutcomeInterrupted)
	r.Results[0].Step = &step.Step{ID: "a/b"}
	r.Results = r.Results[:1]
	var out strings.Builder
	if err := Interrupted(&out, Screen{}, Interruption{Run: &r, Exists: evil, Again: "hcctl check"}); err != nil {
		t.Fatal(err)
	}
	harmless(t, out.String())
	if strings.Contains(out.String(), token) || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("got:\n%s", out.String())
	}
}

// TestNothingIsSaidOfInterruptedSteps by the progress, nor of those that did not begin because of them.
func TestNothingIsSaidOfInterruptedSteps(t *testing.T) {
	results := []step.Result{
		ended("a/done", step.OutcomeDone, step.Created, step.OK("it is there")),
		ended("a/waits", step.OutcomeInterrupted, "", step.Pending("not yet")),
		ended("a/next", step.OutcomeInterrupted, "", step.Unknown("not begun")),
		ended("a/needs", step.OutcomeBlocked, "", step.Unknown("needs a/next")),
	}
	results[0].Elapsed = time.Minute
	for name, screen := range map[string]Screen{"plain": {}, "live": {Redraw: true, Width: 80}} {
		var out strings.Builder
		p := NewProgress(&out, screen)
		for _, r := range results {
			p.Observe(step.Event{Phase: step.Finished, Time: time.Now(), Step: r.Step, Finding: r.Finding, Result: &r})
		}
		p.Close()
		if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "it is there") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	var out strings.Builder
	steps := make([]step.Step, 0, 3)
	for i := range 3 {
		steps = append(steps, step.Step{ID: step.ID(fmt.Sprintf("kv-%d/api", i)), Title: "API",
			Subject: fmt.Sprint("clusters/kv-", i)})
	}
	l := newManualLive(&out, Screen{Redraw: true, Width: 80})
	close(l.stopped)
	fleet := &liveSubjects{live: l, kind: "clusters", bySubject: map[string]*liveSubject{}}
	for i := range steps {
		fleet.bySubject[steps[i].Subject] = &liveSubject{left: 1}
	}
	for i, o := range []step.Outcome{step.OutcomeDone, step.OutcomeInterrupted, step.OutcomeInterrupted} {
		r := step.Result{Step: &steps[i], Outcome: o, Change: step.Created, Finding: step.Pending("not begun")}
		fleet.Observe(step.Event{Phase: step.Finished, Step: &steps[i], Result: &r, Finding: r.Finding})
	}
	fleet.Close()
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 1 ||
		!slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "kv-0") }) {
		t.Errorf("fleet:\n%s", out.String())
	}
}
