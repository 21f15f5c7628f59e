package each

import (
	"errors"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestQuestion: one question names every cluster, those that are left alone too, and asks for the number if something
// is destroyed in more than one.
func TestQuestion(t *testing.T) {
	members := &fleet.Each{Members: []fleet.Member{{Namespace: "lab", Name: "a"}, {Namespace: "lab", Name: "b"},
		{Namespace: "lab", Name: "c", Err: errors.New("it is paused")}}}
	w := Work{Command: "stop", Ask: "Stop %s"}
	at := &cmdutil.Target{Server: "https://a.example", OpenShift: "4.20.3"}
	for name, tc := range map[string]struct {
		destroys bool
		count    int
	}{"it destroys": {true, 2}, "it does not": {false, 0}} {
		changes := map[string]Change{"lab/a": {Destroys: tc.destroys, Details: []cmdutil.Text{"  NodePool a: 3 to 0"}},
			"lab/b": {About: "from 3 to 4"}}
		p := prepared{Each: members, runner: &runner{Work: w, noun: clusterNoun, selection: &Flags{}}, t: at, changes: changes}
		q := p.question()
		if q.Destroys != tc.destroys || q.Count != tc.count || q.Ask != "Stop 2 hosted clusters, on OpenShift 4.20.3 at "+
			"https://a.example?" {
			t.Errorf("%s: %+v", name, q)
		}
		var lines []string
		for _, line := range q.Details {
			lines = append(lines, string(line))
		}
		want := "  lab/a\n    NodePool a: 3 to 0\n  lab/b: from 3 to 4\n  lab/c: left as it is: it is paused"
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestOnlyWhatEndedWell: a kubeconfig is forgotten only of a cluster that is gone.
func TestOnlyWhatEndedWell(t *testing.T) {
	r := step.Report{Results: []step.Result{
		{Step: &step.Step{Subject: "lab/a"}, Outcome: step.OutcomeDone},
		{Step: &step.Step{Subject: "lab/b"}, Outcome: step.OutcomeDone},
		{Step: &step.Step{Subject: "lab/b"}, Outcome: step.OutcomeTimedOut},
	}}
	for subject, want := range map[string]bool{"lab/a": true, "lab/b": false, "lab/c": false} {
		if got := succeeded(r, subject); got != want {
			t.Errorf("%s: %v", subject, got)
		}
	}
}

// TestQuestionOfADeletion names what somebody may still be creating, and of one cluster alone asks for it.
func TestQuestionOfADeletion(t *testing.T) {
	at := &cmdutil.Target{Server: "https://a.example", OpenShift: "4.20.3"}
	p := prepared{Each: &fleet.Each{Members: []fleet.Member{{Namespace: "lab", Name: "a"}, {Namespace: "lab", Name: "b"}}},
		runner: &runner{Work: Work{Ask: "Delete %s"}, noun: clusterNoun}, t: at, changes: map[string]Change{
			"lab/a": {Destroys: true, Question: "Delete a?"},
			"lab/b": {Destroys: true, Question: "Delete b?", Removal: Removal{Creating: true}}}}
	q := p.question()
	if q.Count != 2 || !q.Destroys || len(q.Details) != 3 || q.Details[0] != "  1 is still being created: lab/b" {
		t.Errorf("%+v", q)
	}
	p.Members[0].Err = errors.New("it is another's")
	if q := p.question(); q.Count != 1 || q.Ask != "Delete b?" {
		t.Errorf("one that can be deleted: %+v", q)
	}
}
