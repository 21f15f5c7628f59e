package step_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

// planOf is what Plan tells of each step, and the order in which it asked them.
func planOf(t *testing.T, opt step.Options, steps ...step.Step) (step.Forecasts, map[step.ID]step.Action, []step.ID) {
	t.Helper()
	var order []step.ID
	forecasts := graph(t, steps...).Plan(t.Context(), opt, func(f step.Forecast) { order = append(order, f.Step.ID) })
	wills := map[step.ID]step.Action{}
	for _, f := range forecasts {
		wills[f.Step.ID] = f.Action
	}
	return forecasts, wills, order
}

func TestPlanTellsOfEachStepInTheOrderOfNeeds(t *testing.T) {
	var first, second switchable
	first.set(step.StateMissing)
	second.set(step.StateMissing)
	forecasts, wills, order := planOf(t, step.Options{Skip: map[step.ID]bool{"left": true}},
		step.Step{ID: "second", Needs: []step.ID{"first"}, Check: second.check, Apply: second.apply(step.StatePending)},
		step.Step{ID: "first", Check: first.check, Apply: first.apply(step.StateOK)},
		step.Step{ID: "fine", Check: always(step.OK("x")), Apply: never(t)},
		step.Step{ID: "left", Check: always(step.Missing("x")), Apply: never(t)},
		step.Step{ID: "advice", Severity: step.Advisory, Check: always(step.Missing("x"))},
		step.Step{ID: "slow", Check: always(step.Pending("x")), Apply: never(t)},
	)
	want := map[step.ID]step.Action{
		"first": step.ActionWrite, "second": step.ActionWrite, "fine": step.ActionKeep, "left": step.ActionKeep,
		"advice": step.ActionKeep, "slow": step.ActionWait,
	}
	if diff := cmp.Diff(want, wills); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]step.ID{"first", "second", "fine", "left", "advice", "slow"}, order); diff != "" {
		t.Error(diff)
	}
	if then, waits := forecasts[0].Waits(); !waits || then.State != step.StatePending {
		t.Errorf("second then: %v %v, want pending", then, waits)
	}
	if _, waits := forecasts[1].Waits(); waits {
		t.Error("first waits although its writes make it hold")
	}
	if !forecasts.Changes() || forecasts.Err() != nil {
		t.Errorf("changes %v, error %v", forecasts.Changes(), forecasts.Err())
	}
}

func TestPlanOfWhatHoldsHasNoChanges(t *testing.T) {
	forecasts, _, _ := planOf(t, step.Options{},
		step.Step{ID: "a", Check: always(step.OK("x")), Apply: never(t)},
		step.Step{ID: "b", Severity: step.Advisory, Needs: []step.ID{"a"}, Check: always(step.Broken("x"))},
	)
	if forecasts.Changes() || forecasts.Err() != nil {
		t.Errorf("changes %v, error %v", forecasts.Changes(), forecasts.Err())
	}
}

func TestPlanTellsRealTroubleFromWhatOnlyIsNotThereYet(t *testing.T) {
	boom := errors.New("boom")
	final, alone := step.Unknown("forbidden"), step.Missing("x")
	final.Final, alone.Final = true, true
	var planned switchable
	planned.set(step.StateMissing)
	for name, tc := range map[string]struct {
		s step.Step
		// firm is on ground that holds, on planned ground that is only planned.
		firm, planned step.Action
		outcome       step.Outcome
	}{
		"broken": {step.Step{Check: always(step.Broken("x"))}, step.ActionStop, step.ActionOpen, step.OutcomeBroken},
		"for a person": {step.Step{Check: always(step.Missing("x"))}, step.ActionPerson, step.ActionOpen,
			step.OutcomeMissing},
		"for a person whatever comes": {step.Step{Check: always(alone)}, step.ActionPerson, step.ActionPerson,
			step.OutcomeMissing},
		"refused": {step.Step{Check: always(step.Missing("x")), Apply: fails(boom)}, step.ActionStop, step.ActionOpen,
			step.OutcomeFailed},
		"refused for now": {step.Step{Check: always(step.Missing("x")), Apply: fails(errTransient)}, step.ActionUnseen,
			step.ActionOpen, step.OutcomeFailed},
		"unknown":   {step.Step{Check: always(step.Unknown("x"))}, step.ActionUnseen, step.ActionOpen, step.OutcomeFailed},
		"forbidden": {step.Step{Check: always(final)}, step.ActionUnseen, step.ActionUnseen, step.OutcomeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			opt := step.Options{Transient: func(err error) bool { return errors.Is(err, errTransient) }}
			tc.s.ID, tc.s.Needs = "it", []step.ID{"need"}
			needy := step.Step{ID: "needy", Needs: []step.ID{"it"}, Check: always(step.Missing("y")),
				Apply: func(context.Context) (step.Change, error) {
					return step.Created, nil
				}}
			forecasts, wills, _ := planOf(t, opt, step.Step{ID: "need", Check: always(step.OK(""))}, tc.s, needy)
			if wills["it"] != tc.firm || wills["needy"] != step.ActionLeave {
				t.Errorf("on firm ground %q, what needs it %q; want %q, leave", wills["it"], wills["needy"], tc.firm)
			}
			re, ok := step.AsRunError(forecasts.Err())
			if !ok || re.Worst() != tc.outcome || len(re.Results) != 2 {
				t.Errorf("error %v, want worst outcome %s", forecasts.Err(), tc.outcome)
			}
			planned.set(step.StateMissing)
			forecasts, wills, _ = planOf(t, opt, step.Step{ID: "need", Check: planned.check,
				Apply: planned.apply(step.StatePending)}, tc.s, needy)
			if wills["it"] != tc.planned {
				t.Errorf("on planned ground %q, want %q", wills["it"], tc.planned)
			}
			if tc.planned == step.ActionOpen && (wills["needy"] != step.ActionWrite || forecasts[1].Prerequisite != "need" ||
				forecasts.Err() != nil) {
				t.Errorf("what needs it %q after %q, error %v", wills["needy"], forecasts[1].Prerequisite, forecasts.Err())
			}
		})
	}
}

func TestPlanDoesNotApplyForEver(t *testing.T) {
	applied := 0
	_, wills, _ := planOf(t, step.Options{}, step.Step{ID: "a", Check: always(step.Missing("x")),
		Apply: func(context.Context) (step.Change, error) {
			applied++
			return step.Configured, nil
		}})
	if applied != 1 || wills["a"] != step.ActionWrite {
		t.Errorf("applied %d times, %q", applied, wills["a"])
	}
}

// A write that somebody else's came before is tried again in a plan, as in a run, and never for ever.
func TestPlanTriesAgainWhatIsTransient(t *testing.T) {
	opt := step.Options{Transient: func(err error) bool { return errors.Is(err, errTransient) }}
	for failures, want := range map[int]step.Action{1: step.ActionWrite, 1000: step.ActionUnseen} {
		var object switchable
		object.set(step.StateMissing)
		calls := 0
		apply := func(ctx context.Context) (step.Change, error) {
			if calls++; calls <= failures {
				return "", errTransient
			}
			return object.apply(step.StateOK)(ctx)
		}
		forecasts, wills, _ := planOf(t, opt, step.Step{ID: "a", Check: object.check, Apply: apply})
		if wills["a"] != want || calls > 10 || (forecasts[0].Err == nil) != (want == step.ActionWrite) {
			t.Errorf("%d failures: %s after %d calls: %v", failures, wills["a"], calls, forecasts[0].Err)
		}
	}
}

// Each Check waits for the other, so that a plan that asks one after the other never ends.
func TestPlanAsksStepsThatWriteNothingAtTheSameTime(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meets := func(context.Context, step.Reads) step.Finding {
		both.Done()
		both.Wait()
		return step.Pending("x")
	}
	_, wills, order := planOf(t, step.Options{},
		step.Step{ID: "written", Check: always(step.OK("x")), Apply: never(t)},
		step.Step{ID: "a", Needs: []step.ID{"written"}, Check: meets},
		step.Step{ID: "b", Needs: []step.ID{"a"}, Check: meets},
	)
	if diff := cmp.Diff(map[step.ID]step.Action{"written": step.ActionKeep, "a": step.ActionWait, "b": step.ActionWait},
		wills); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]step.ID{"written", "a", "b"}, order); diff != "" {
		t.Error(diff)
	}
}

// What a Check ahead finds is not the forecast: an earlier step's planned write decides.
func TestPlanAhead(t *testing.T) {
	var first, second switchable
	first.set(step.StateMissing)
	second.set(step.StateMissing)
	asked := 0
	_, wills, _ := planOf(t, step.Options{Ahead: true, Parallel: 1, Skip: map[step.ID]bool{"left": true}},
		step.Step{ID: "first", Check: first.check, Apply: func(ctx context.Context) (step.Change, error) {
			second.set(step.StateOK)
			return first.apply(step.StateOK)(ctx)
		}},
		step.Step{ID: "second", Needs: []step.ID{"first"}, Check: func(ctx context.Context, r step.Reads) step.Finding {
			asked++
			return second.check(ctx, r)
		}, Apply: never(t)},
		step.Step{ID: "left", Check: func(context.Context, step.Reads) step.Finding {
			t.Error("a step that is left out is asked")
			return step.OK("x")
		}, Apply: never(t)},
	)
	if wills["second"] != step.ActionKeep || asked != 2 {
		t.Errorf("second: %s, asked %d times", wills["second"], asked)
	}
}
