package step_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func ids(r step.Report) []string {
	var out []string
	for _, res := range r.Results {
		out = append(out, string(res.Step.ID))
	}
	return out
}

func TestOnly(t *testing.T) {
	var base, chosen, other switchable
	base.set(step.StateMissing)
	chosen.set(step.StateMissing)
	other.set(step.StateMissing)
	g := graph(t,
		step.Step{ID: "a/base", Group: "a", Check: base.check, Apply: base.apply(step.StateOK)},
		step.Step{ID: "my-group/chosen", Group: "my group", Needs: []step.ID{"a/base"}, Check: chosen.check,
			Apply: chosen.apply(step.StateOK)},
		step.Step{ID: "a/other", Group: "a", Check: other.check, Apply: other.apply(step.StateOK)},
	)
	for _, name := range []string{"my group", "my-group", "my-group/chosen"} {
		only, err := g.Only(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"my-group/chosen"}, ids(only.Check(t.Context(), step.Options{}))); diff != "" {
			t.Errorf("check of %q (-want +got):\n%s", name, diff)
		}
	}
	only, err := g.Only("my-group")
	if err != nil {
		t.Fatal(err)
	}
	r := only.Run(t.Context(), step.Options{})
	if got := outcome(t, r, "a/base").Outcome; got != step.OutcomeMissing || base.applied.Load() != 0 {
		t.Errorf("what is only needed: outcome %s after %d applies, want missing after none", got, base.applied.Load())
	}
	if got := outcome(t, r, "my-group/chosen").Outcome; got != step.OutcomeBlocked {
		t.Errorf("chosen step on ground that does not hold: %s, want blocked", got)
	}
	base.set(step.StateOK)
	if err := only.Run(t.Context(), step.Options{}).Err(); err != nil || chosen.applied.Load() != 1 ||
		other.applied.Load() != 0 {
		t.Errorf("%v; chosen applied %d times, other %d times", err, chosen.applied.Load(), other.applied.Load())
	}
	if _, err := g.Only("nobody"); err == nil || err.Error() != `"nobody" is neither a step nor a group of steps` {
		t.Errorf("unknown name: %v", err)
	}
}

func TestParallelBoundsTheStepsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ step.Reads) step.Finding {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			return step.OK("")
		}
		var steps []step.Step
		for _, id := range []step.ID{"a", "b", "c", "d"} {
			steps = append(steps, step.Step{ID: id, Check: slow})
		}
		for parallel, want := range map[int]time.Duration{0: time.Second, 1: 4 * time.Second, 2: 2 * time.Second} {
			if got := graph(t, steps...).Run(t.Context(), step.Options{Parallel: parallel}).Elapsed; got != want {
				t.Errorf("run with %d at once: %s, want %s", parallel, got, want)
			}
			if got := graph(t, steps...).Check(t.Context(), step.Options{Parallel: parallel}).Elapsed; got != want {
				t.Errorf("check with %d at once: %s, want %s", parallel, got, want)
			}
		}
	})
}

func TestTimeoutsOverrideTheStepsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var never switchable
		never.set(step.StatePending)
		g := graph(t, step.Step{ID: "a", Check: never.check, Timeout: time.Hour})
		got := outcome(t, g.Run(t.Context(), step.Options{Timeouts: map[step.ID]time.Duration{"a": time.Minute}}), "a")
		if got.Outcome != step.OutcomeTimedOut || got.Elapsed != time.Minute {
			t.Errorf("%s after %s, want timed out after 1m", got.Outcome, got.Elapsed)
		}
	})
}

// cached is the Reads of a first check.
type cached struct{}

func (cached) String() string { return "cached" }

func TestOnlyTheFirstCheckReadsFromTheCache(t *testing.T) {
	checks := 0
	g := graph(t, step.Step{ID: "a", Check: func(_ context.Context, reads step.Reads) step.Finding {
		checks++
		if first := reads == (cached{}); first != (checks == 1) || reads == nil {
			t.Errorf("check %d reads %v", checks, reads)
		}
		if checks < 3 {
			return step.Pending("not yet").RecheckAfter(time.Millisecond)
		}
		return step.OK("")
	}})
	r := g.Run(t.Context(), step.Options{ReadCache: func(context.Context) step.Reads { return cached{} }})
	if err := r.Err(); err != nil || checks != 3 {
		t.Errorf("%v after %d checks", err, checks)
	}
}
