package report

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/step"
)

// evil is what an object may have in a message: it clears the screen, forges a line, turns the order of what is read,
// and repeats a secret.
const (
	evil  = "bad\x1b[2J\x1b]0;title\a\r\n  ✓ all is good\u202etxt\u009b1m " + token
	token = "Zq9-remembered-token"
)

// evilReport has what may be shown of a run, written by others.
func evilReport(outcome step.Outcome) step.Report {
	f := step.Broken("%s", evil).On("Pod " + evil).WithHint(evil)
	s := &step.Step{ID: "a/b", Title: "b", Group: "a", Subject: "clusters/kv-00"}
	return step.Report{Results: []step.Result{
		{Step: s, Finding: f, Outcome: outcome, Begun: time.Now()},
		{Step: s, Finding: f, Outcome: step.OutcomeFailed, Err: errors.New(evil), Begun: time.Now()},
	}}
}

func TestWordsOfOthersDoNothingToATerminal(t *testing.T) {
	redact.RememberValues(token)
	plan := forecast("a/b", step.ActionPerson, step.Broken("%s", evil).WithHint(evil))
	plan.Err = errors.New(evil)
	plan.Writes = []PlannedWrite{{Verb: "change", Kind: "X", Name: "n", Diff: "+a: " + evil, Unvalidated: evil}}
	bad := evilReport(step.OutcomeMissing)
	for name, write := range map[string]func(io.Writer) error{
		"check":         func(w io.Writer) error { return Check(w, bad, Screen{}) },
		"plan":          func(w io.Writer) error { return Plan(w, []PlannedStep{plan}, Screen{}) },
		"tree":          func(w io.Writer) error { return Tree(w, Screen{}, Branch{Title: evil, Text: evil, Hint: evil}) },
		"rows":          func(w io.Writer) error { return Rows(w, Screen{}, []string{"A"}, []Row{{Cells: []string{evil}}}) },
		"subject table": func(w io.Writer) error { return SubjectTable(w, "cluster", evilReport(step.OutcomeBroken)) },
		"plain progress": func(w io.Writer) error {
			observed(NewProgress(w, Screen{}))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			harmless(t, out.String())
			// The tree and the table of rows are given what is shown; secrets are taken out before.
			if strings.Contains(out.String(), token) && name != "tree" && name != "rows" && name != "plan" {
				t.Errorf("the secret is shown:\n%s", out.String())
			}
		})
	}
	t.Run("live progress", func(t *testing.T) {
		var out bytes.Buffer
		observed(NewProgress(&out, Screen{Redraw: true}))
		// The display moves the cursor itself, by these two alone.
		harmless(t, strings.NewReplacer("\x1b[1A\r\x1b[J", "", "\x1b[2A\r\x1b[J", "").Replace(out.String()))
	})
}

// observed shows a progress all that can be said of a step.
func observed(p Progress) {
	for _, res := range evilReport(step.OutcomeBroken).Results {
		p.Observe(step.Event{Time: time.Now(), Phase: step.Checked, Step: res.Step, Finding: step.Pending("%s", evil)})
		p.Observe(step.Event{Time: time.Now(), Phase: step.WaitingOn, Step: res.Step, Finding: step.Pending("%s", evil)})
		p.Observe(step.Event{Time: time.Now(), Phase: step.Finished, Step: res.Step, Finding: res.Finding, Result: &res})
	}
	p.Close()
}

func harmless(t *testing.T, out string) {
	t.Helper()
	if !strings.Contains(out, `bad\x1b[2J`) {
		t.Errorf("what the object says is not shown:\n%q", out)
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.IndexFunc(line, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) >= 0 {
			t.Errorf("the terminal gets %q", line)
		}
		if strings.HasPrefix(line, "  ✓ all is good") {
			t.Errorf("a line is forged: %q", line)
		}
	}
}

func TestDocumentsKeepWordsAndTellNoSecrets(t *testing.T) {
	redact.RememberValues(token)
	var out bytes.Buffer
	bad := evilReport(step.OutcomeMissing)
	if err := CheckJSON(&out, bad); err != nil {
		t.Fatal(err)
	}
	events := NewEvents(&out)
	observed(events)
	if err := events.Summary(bad, RunEnd{ExitCode: 1, Error: errors.New(evil)}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), token) {
		t.Errorf("the secret is told:\n%s", out.String())
	}
	if !strings.Contains(out.String(), `"message": "bad\u001b[2J\u001b]0;title\u0007\r\n  ✓ all is good`) {
		t.Errorf("the message is another:\n%s", out.String())
	}
}
