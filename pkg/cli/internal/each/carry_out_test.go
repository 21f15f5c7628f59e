package each

import (
	"errors"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
)

// TestQuestion: one question names every cluster, those that are left alone too, and asks for the number if something
// is destroyed in more than one.
func TestQuestion(t *testing.T) {
	members := &fleet.Each{Members: []fleet.Member{{Namespace: "lab", Name: "a"}, {Namespace: "lab", Name: "b"},
		{Namespace: "lab", Name: "c", Err: errors.New("it is paused")}}}
	w := Work{Command: "stop cluster", Ask: "Stop %s"}
	at := &cmdutil.Target{Server: "https://a.example", OpenShift: "4.20.3"}
	for name, tc := range map[string]struct {
		destroys bool
		count    int
	}{"it destroys": {true, 2}, "it does not": {false, 0}} {
		changes := map[string]Change{"lab/a": {Destroys: tc.destroys, Details: []cmdutil.Text{"  NodePool a: 3 to 0"}},
			"lab/b": {About: "from 3 to 4"}}
		p := prepared{Each: members, carrier: &carrier{Work: w, noun: clusterNoun}, t: at, changes: changes}
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
