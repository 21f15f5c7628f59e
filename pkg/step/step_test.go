package step_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

// switchable is a predicate that tests turn.
type switchable struct {
	state   atomic.Int32
	applied atomic.Int32
}

func (s *switchable) set(state step.State) { s.state.Store(int32(state)) }

func (s *switchable) check(context.Context, step.Reads) step.Finding {
	return step.Finding{State: step.State(s.state.Load()), Message: "seen"}
}

func (s *switchable) apply(to step.State) func(context.Context) (step.Change, error) {
	return func(context.Context) (step.Change, error) {
		s.applied.Add(1)
		s.set(to)
		return step.Created, nil
	}
}

func graph(t *testing.T, steps ...step.Step) *step.Graph {
	t.Helper()
	g, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func outcome(t *testing.T, r step.Report, id step.ID) step.Result {
	t.Helper()
	res, ok := r.Get(id)
	if !ok {
		t.Fatalf("no result for %s", id)
	}
	return res
}

func TestNewRefusesImpossibleGraphs(t *testing.T) {
	ok := func(context.Context, step.Reads) step.Finding { return step.OK("") }
	for name, tc := range map[string]struct {
		steps []step.Step
		want  string
	}{
		"duplicate":    {[]step.Step{{ID: "a", Check: ok}, {ID: "a", Check: ok}}, `two steps have the ID "a"`},
		"no check":     {[]step.Step{{ID: "a"}}, `step "a" has no check`},
		"unknown need": {[]step.Step{{ID: "a", Check: ok, Needs: []step.ID{"b"}}}, `step "a" needs "b", which is not a step`},
		"circle": {[]step.Step{
			{ID: "a", Check: ok, Needs: []step.ID{"c"}}, {ID: "b", Check: ok, Needs: []step.ID{"a"}},
			{ID: "c", Check: ok, Needs: []step.ID{"b"}},
		}, "steps need each other in a circle: a -> c -> b -> a"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := step.New(tc.steps...)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestRunAppliesInOrderOfNeedsAndWaitsForThePredicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first, second switchable
		first.set(step.StateMissing)
		second.set(step.StateMissing)
		g := graph(t,
			step.Step{ID: "second", Needs: []step.ID{"first"}, Check: second.check,
				Apply: func(ctx context.Context) (step.Change, error) {
					if step.State(first.state.Load()) != step.StateOK {
						t.Error("second applied before first held")
					}
					return second.apply(step.StateOK)(ctx)
				}},
			step.Step{ID: "first", Check: first.check, Apply: func(ctx context.Context) (step.Change, error) {
				time.AfterFunc(10*time.Second, func() { first.set(step.StateOK) })
				return first.apply(step.StatePending)(ctx)
			}},
		)
		r := g.Run(t.Context(), step.Options{})
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		if got := outcome(t, r, "first"); got.Change != step.Created || got.Elapsed < 10*time.Second {
			t.Errorf("first: %+v", got)
		}
		if got := r.Changed(); got != 2 {
			t.Errorf("%d steps changed something, want 2", got)
		}
	})
}

func TestRunTouchesNothingThatHolds(t *testing.T) {
	var s switchable
	s.set(step.StateOK)
	r := graph(t, step.Step{ID: "a", Check: s.check, Apply: s.apply(step.StateOK)}).Run(t.Context(), step.Options{})
	if got := outcome(t, r, "a"); got.Change != step.Unchanged || s.applied.Load() != 0 {
		t.Errorf("change %q after %d applies, want unchanged after none", got.Change, s.applied.Load())
	}
}

func TestOutcomes(t *testing.T) {
	boom := errors.New("boom")
	for name, tc := range map[string]struct {
		step step.Step
		want step.Outcome
	}{
		"broken fails at once":  {step.Step{Check: always(step.Broken("x")), Apply: never(t)}, step.OutcomeBroken},
		"missing without apply": {step.Step{Check: always(step.Missing("x"))}, step.OutcomeMissing},
		"advisory warns":        {step.Step{Severity: step.Advisory, Check: always(step.Missing("x"))}, step.OutcomeWarned},
		"unknown and final": {step.Step{Check: always(step.Finding{State: step.StateUnknown, Final: true}),
			Apply: never(t)}, step.OutcomeFailed},
		"apply fails for good":     {step.Step{Check: always(step.Missing("x")), Apply: fails(boom)}, step.OutcomeFailed},
		"pending until time is up": {step.Step{Check: always(step.Pending("x")), Timeout: time.Minute}, step.OutcomeTimedOut},
		"unknown until time is up": {step.Step{Check: always(step.Unknown("x")), Timeout: time.Minute}, step.OutcomeTimedOut},
		"transient apply retried": {step.Step{Check: always(step.Missing("x")), Apply: fails(errTransient),
			Timeout: time.Minute}, step.OutcomeTimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tc.step.ID = "a"
				needy := step.Step{ID: "b", Needs: []step.ID{"a"}, Check: always(step.Missing("y")),
					Apply: func(context.Context) (step.Change, error) {
						return step.Created, boom
					}}
				r := graph(t, tc.step, needy).Run(t.Context(),
					step.Options{Transient: func(err error) bool { return errors.Is(err, errTransient) }})
				if got := outcome(t, r, "a").Outcome; got != tc.want {
					t.Errorf("outcome %q, want %q", got, tc.want)
				}
				wantNeedy := step.OutcomeBlocked
				if tc.want == step.OutcomeWarned {
					wantNeedy = step.OutcomeFailed
				}
				if got := outcome(t, r, "b").Outcome; got != wantNeedy {
					t.Errorf("the step that needs it: outcome %q, want %q", got, wantNeedy)
				}
			})
		})
	}
}

func TestFailureDoesNotStopTheIndependent(t *testing.T) {
	r := graph(t,
		step.Step{ID: "bad", Check: always(step.Broken("no"))},
		step.Step{ID: "good", Check: always(step.OK("yes"))},
	).Run(t.Context(), step.Options{})
	if outcome(t, r, "good").Outcome != step.OutcomeDone {
		t.Error("an independent step did not succeed")
	}
	re, ok := step.AsRunError(r.Err())
	if !ok || len(re.Results) != 1 || re.Worst() != step.OutcomeBroken {
		t.Errorf("error %v", r.Err())
	}
}

func TestCancelInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		r := graph(t, step.Step{ID: "a", Check: always(step.Pending("still"))}).Run(ctx, step.Options{Timeout: time.Hour})
		if got := outcome(t, r, "a"); got.Outcome != step.OutcomeInterrupted || got.Elapsed > 2*time.Second {
			t.Errorf("%q after %s", got.Outcome, got.Elapsed)
		}
	})
}

func TestObserverHearsEachChangeOfStateOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s switchable
		s.set(step.StateMissing)
		var got []string
		r := graph(t, step.Step{ID: "a", Check: s.check, Apply: func(ctx context.Context) (step.Change, error) {
			time.AfterFunc(time.Minute, func() { s.set(step.StateOK) })
			return s.apply(step.StatePending)(ctx)
		}}).Run(t.Context(), step.Options{Observe: func(e step.Event) {
			got = append(got, string(e.Phase)+" "+e.Finding.State.String())
		}})
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		want := []string{"begun unknown", "checked missing", "applying missing", "applied missing", "waiting pending",
			"waiting ok", "finished ok"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTimeoutNamesWhatWasMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := step.Pending("1 of 3 mons").On("StorageCluster ocs-storagecluster")
		err := graph(t, step.Step{ID: "storage/cluster", Check: always(f)}).
			Run(t.Context(), step.Options{Timeout: time.Minute}).Err()
		if err == nil || !strings.Contains(err.Error(), "storage/cluster: not done after 1m0s: StorageCluster "+
			"ocs-storagecluster: 1 of 3 mons") {
			t.Errorf("got %v", err)
		}
	})
}

func TestCheckAsksAllRegardlessOfNeeds(t *testing.T) {
	r := graph(t,
		step.Step{ID: "a", Check: always(step.Missing("x")), Apply: never(t)},
		step.Step{ID: "b", Needs: []step.ID{"a"}, Check: always(step.OK("y"))},
		step.Step{ID: "c", Check: always(step.OK("z"))},
	).Check(t.Context(), step.Options{Skip: map[step.ID]bool{"c": true}})
	got := []step.Outcome{r.Results[0].Outcome, r.Results[1].Outcome, r.Results[2].Outcome}
	if diff := cmp.Diff([]step.Outcome{step.OutcomeMissing, step.OutcomeDone, step.OutcomeDone}, got); diff != "" {
		t.Error(diff)
	}
	if r.Results[2].Finding.State != step.StateSkipped {
		t.Errorf("skipped step has state %s", r.Results[2].Finding.State)
	}
}

var errTransient = errors.New("connection refused")

func always(f step.Finding) func(context.Context, step.Reads) step.Finding {
	return func(context.Context, step.Reads) step.Finding { return f }
}

func fails(err error) func(context.Context) (step.Change, error) {
	return func(context.Context) (step.Change, error) { return "", err }
}

func never(t *testing.T) func(context.Context) (step.Change, error) {
	return func(context.Context) (step.Change, error) {
		t.Error("applied although nothing could be done")
		return "", nil
	}
}

// pulse is a Watch that tests wake by hand.
type pulse struct{ changed chan struct{} }

func (*pulse) String() string             { return "watched" }
func (p *pulse) Changed() <-chan struct{} { return p.changed }
func (p *pulse) Close()                   {}

func TestAChangeCutsTheRetryShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s switchable
		s.set(step.StateMissing)
		ready := time.Now().Add(20 * time.Second)
		notYet := errors.New("no such kind yet")
		watch := &pulse{changed: make(chan struct{}, 1)}
		time.AfterFunc(20*time.Second, func() { watch.changed <- struct{}{} })
		g := graph(t, step.Step{ID: "a", Check: s.check, Apply: func(ctx context.Context) (step.Change, error) {
			if time.Now().Before(ready) {
				return "", notYet
			}
			return s.apply(step.StateOK)(ctx)
		}})
		got := outcome(t, g.Run(t.Context(), step.Options{
			Watch:     func() step.Watch { return watch },
			Transient: func(err error) bool { return errors.Is(err, notYet) },
		}), "a")
		if late := got.Elapsed - 20*time.Second; got.Outcome != step.OutcomeDone || late > 100*time.Millisecond {
			t.Errorf("%s, %s after the kind was there; want done at once", got.Outcome, late)
		}
	})
}

func TestEventsTellWhenAStepBeganAndWasWrittenTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first, second, third switchable
		first.set(step.StateMissing)
		second.set(step.StateMissing)
		third.set(step.StateMissing)
		g := graph(t,
			step.Step{ID: "first", Check: first.check, Apply: func(ctx context.Context) (step.Change, error) {
				time.AfterFunc(10*time.Second, func() { first.set(step.StateOK) })
				return first.apply(step.StatePending)(ctx)
			}},
			step.Step{ID: "second", Needs: []step.ID{"first"}, Check: second.check, Apply: second.apply(step.StateOK)},
			step.Step{ID: "third", Needs: []step.ID{"first"}, Check: third.check},
			step.Step{ID: "blocked", Needs: []step.ID{"third"}, Check: third.check},
			step.Step{ID: "skipped", Check: third.check},
		)
		got := map[step.ID]string{}
		ended := map[step.ID]time.Time{}
		g.Run(t.Context(), step.Options{Skip: map[step.ID]bool{"skipped": true}, Observe: func(e step.Event) {
			got[e.Step.ID] += string(e.Phase) + " "
			switch {
			case e.Phase == step.Finished:
				ended[e.Step.ID] = e.Time
			case e.Phase == step.Begun && e.Step.ID != "first" && !e.Time.Equal(ended["first"]):
				t.Errorf("%s began %s after what it needs had ended", e.Step.ID, e.Time.Sub(ended["first"]))
			}
		}})
		want := map[step.ID]string{
			"first":   "begun checked applying applied waiting waiting finished ",
			"second":  "begun checked applying applied waiting finished ",
			"third":   "begun checked finished ",
			"blocked": "finished ",
			"skipped": "finished ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}
