package step_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// What is told elsewhere is not told as something that a step waits on; nor is, once it is over, what was told before
// it.
func TestWhatIsToldElsewhereIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		away := func() bool { d := time.Since(begin); return d > 5*time.Second && d < 50*time.Second }
		made := time.Time{}
		var told []string
		wrote := errors.New("connection refused")
		s := step.Step{ID: "a",
			Check: func(context.Context, step.Reads) step.Finding {
				switch {
				case away():
					return step.Finding{State: step.StateUnknown, Message: "the API server is away", Outage: true}
				case made.IsZero():
					return step.Missing("none")
				case time.Since(made) < 20*time.Second:
					return step.Pending("coming up")
				}
				return step.OK("there")
			},
			Apply: func(context.Context) (step.Change, error) {
				if time.Since(begin) < time.Minute {
					return "", wrote
				}
				made = time.Now()
				return step.Created, nil
			}}
		r := graph(t, s).Run(t.Context(), step.Options{
			Observe:   func(e step.Event) { told = append(told, string(e.Phase)+" "+e.Finding.Message) },
			Transient: func(err error) bool { return errors.Is(err, wrote) }, IsOutage: func(err error) bool {
				return errors.Is(err, wrote)
			},
		})
		told = slices.DeleteFunc(told, func(line string) bool {
			return line == "applying none" || line == "applying connection refused"
		})
		want := []string{"begun ", "checked none", "applied none", "waiting coming up", "waiting there", "finished there"}
		if got := outcome(t, r, "a"); got.Outcome != step.OutcomeDone || !slices.Equal(told, want) {
			t.Errorf("%s, told %q, want %q", got.Outcome, told, want)
		}
	})
}

// A step whose time is up meanwhile says what it could not see.
func TestWhatIsToldElsewhereIsTheLastWordWhenTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		check := func(context.Context, step.Reads) step.Finding {
			if first {
				first = false
				return step.Pending("coming up")
			}
			return step.Finding{State: step.StateUnknown, Message: "the API server is away", Outage: true}
		}
		got := outcome(t, graph(t, step.Step{ID: "a", Check: check}).Run(t.Context(), step.Options{Timeout: time.Minute}),
			"a")
		if got.Outcome != step.OutcomeTimedOut || got.Finding.Message != "the API server is away" {
			t.Errorf("%s: %s", got.Outcome, got.Finding.Message)
		}
	})
}
