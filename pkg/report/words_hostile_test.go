package report

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// ownControls are what the live display moves the cursor with, and hcctl's colours.
var ownControls = regexp.MustCompile(`\x1b\[\d+A\r\x1b\[J|\x1b\[(?:[012]|3[123])m`)

// TestNothingButTheDisplayMovesTheCursor: not what a run tells, wherever it stands, be it shown live or line by line.
func TestNothingButTheDisplayMovesTheCursor(t *testing.T) {
	const forged = "\x1b[9A\r\x1b[J\n✓ forged\u009b2J\u202e\x1b]0;x\a"
	one := step.Step{ID: step.ID("a/b" + forged), Title: "title" + forged, Group: "group" + forged, Subject: "cluster" +
		forged,
		Check: func(context.Context, step.Reads) step.Finding { return step.OK("") }}
	finding := step.Pending("message%s", forged).On("Object %s", forged).WithHint("hint%s", forged)
	result := step.Result{Step: &one, Outcome: step.OutcomeFailed, Finding: finding, Err: errors.New("error" + forged),
		Elapsed: time.Second}
	graph, err := step.New(one)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Screen{"live": {Redraw: true, Colour: true, Width: 80}, "plain": {}} {
		for kind, progress := range map[string]func(w *bytes.Buffer) Progress{
			"steps":    func(w *bytes.Buffer) Progress { return NewProgress(sanitize.Guard(w), s) },
			"subjects": func(w *bytes.Buffer) Progress { return NewSubjectProgress(sanitize.Guard(w), s, "clusters", graph) },
		} {
			var out bytes.Buffer
			p := progress(&out)
			p.Note("note" + forged)
			for _, phase := range []step.Phase{step.Begun, step.Checked, step.WaitingOn} {
				p.Observe(step.Event{Phase: phase, Step: &one, Finding: finding, Time: time.Now()})
			}
			p.Observe(step.Event{Phase: step.Finished, Step: &one, Result: &result, Finding: finding, Time: time.Now()})
			p.Close()
			r := step.Report{Results: []step.Result{result}}
			if err := errors.Join(Table(&out, r), Summary(&out, r), SubjectTable(&out, "cluster", r), Check(&out, r,
				s)); err != nil {
				t.Fatal(err)
			}
			shown := ownControls.ReplaceAllString(out.String(), "")
			if strings.ContainsFunc(shown, func(c rune) bool { return sanitize.Hidden(c) && c != '\n' }) ||
				strings.Contains(shown, "\n✓ forged") || !strings.Contains(shown, "forged") {
				t.Errorf("%s, %s: %q", name, kind, shown)
			}
		}
	}
}
