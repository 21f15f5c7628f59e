package step_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestAfterWaitsForTheEndHoweverItIs(t *testing.T) {
	for name, first := range map[string]step.Finding{"good": step.OK(""), "bad": step.Broken("it will not do")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ended, seen atomic.Bool
				g := graph(t,
					step.Step{ID: "late", After: []step.ID{"first", "not in the graph"},
						Check: func(context.Context, step.Reads) step.Finding {
							seen.Store(ended.Load())
							return step.OK("")
						}},
					step.Step{ID: "first", Check: func(context.Context, step.Reads) step.Finding {
						<-time.After(time.Second)
						ended.Store(true)
						return first
					}},
				)
				if got := outcome(t, g.Run(t.Context(), step.Options{}), "late"); got.Outcome != step.OutcomeDone || !seen.Load() {
					t.Errorf("late ended %s; the first had ended: %t", got.Outcome, seen.Load())
				}
			})
		})
	}
}

func TestAfterDoesNotBringAStepIntoAChoice(t *testing.T) {
	ok := func(context.Context, step.Reads) step.Finding { return step.OK("") }
	g, err := graph(t, step.Step{ID: "a/x", Check: ok}, step.Step{ID: "b/y", Check: ok, After: []step.ID{"a/x"}}).
		Only("b/y")
	if err != nil {
		t.Fatal(err)
	}
	if steps := g.Steps(); len(steps) != 1 || steps[0].ID != "b/y" {
		t.Errorf("chosen: %v", steps)
	}
}

func TestACircleOfAfterIsRefused(t *testing.T) {
	ok := func(context.Context, step.Reads) step.Finding { return step.OK("") }
	if _, err := step.New(step.Step{ID: "a", Check: ok, After: []step.ID{"b"}},
		step.Step{ID: "b", Check: ok, Needs: []step.ID{"a"}}); err == nil {
		t.Error("no error")
	}
}
