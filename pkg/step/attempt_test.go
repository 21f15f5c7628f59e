package step_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// An attempt that settles a step is all there is of it; any other sends the step the usual way, and is not made twice.
func TestAttempt(t *testing.T) {
	for name, tc := range map[string]struct {
		attempt step.Finding
		want    []string
		change  step.Change
	}{
		"settles": {step.OK("exists"), []string{"written", "attempt", "begun", "applied", "finished"}, step.Created},
		"finds it there": {step.Unknown("already exists"),
			[]string{"written", "attempt", "check", "begun", "checked", "finished"}, step.Unchanged},
	} {
		t.Run(name, func(t *testing.T) {
			var called, told []string
			g, err := step.New(step.Step{
				ID: "objects/one",
				Attempt: func(context.Context) (step.Change, step.Finding) {
					called = append(called, "attempt")
					return step.Created, tc.attempt
				},
				Check: func(context.Context, step.Reads) step.Finding {
					called = append(called, "check")
					return step.OK("exists")
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			r := g.Run(t.Context(), step.Options{
				Observe:     func(e step.Event) { told = append(told, string(e.Phase)) },
				BeforeWrite: func() { called = append(called, "written") },
			})
			if got := slices.Concat(called, told); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			if res := r.Results[0]; r.Err() != nil || res.Change != tc.change || res.Finding.Message != "exists" {
				t.Errorf("ended %+v, %v", res, r.Err())
			}
		})
	}
}

// A check and a plan write nothing.
func TestAttemptIsOfRunsOnly(t *testing.T) {
	g, err := step.New(step.Step{
		ID:    "objects/one",
		Check: func(context.Context, step.Reads) step.Finding { return step.Missing("absent") },
		Attempt: func(context.Context) (step.Change, step.Finding) {
			t.Error("attempted")
			return step.Created, step.OK("exists")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := g.Check(t.Context(), step.Options{}); r.Results[0].Outcome != step.OutcomeMissing {
		t.Errorf("outcome %v", r.Results[0].Outcome)
	}
}
