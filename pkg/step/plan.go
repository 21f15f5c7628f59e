package step

import (
	"context"
	"errors"
)

// Action is what a run would do about one step.
type Action string

// What a run can have to do about a step.
const (
	// ActionKeep means the predicate holds: nothing to do.
	ActionKeep Action = "keep"
	// ActionWrite means Apply writes something, and the step may then wait.
	ActionWrite Action = "write"
	// ActionWait means nothing is to be written, but the cluster is not done yet.
	ActionWait Action = "wait"
	// ActionOpen means it cannot be told before something the step needs has really happened.
	ActionOpen Action = "open"
	// ActionPerson means only a person can make the predicate true; a run would fail here.
	ActionPerson Action = "person"
	// ActionStop means the step is broken, or its writes are refused; a run would fail here.
	ActionStop Action = "stop"
	// ActionUnseen means the state cannot be known.
	ActionUnseen Action = "unseen"
	// ActionLeave means the step is not begun, because a run would fail at one it needs.
	ActionLeave Action = "leave"
)

// Forecast is what a run would do about one step, as far as that can be told.
type Forecast struct {
	Step   *Step
	Action Action
	// Finding is the first one.
	Finding Finding
	// Change is what Apply did, or would have done; empty if it was not called.
	Change Change
	// FindingAfter is the finding after what was planned, where that changed it; else it is Finding.
	FindingAfter Finding
	// Prerequisite names the step that has to have happened before this one can be told, where Will is ActionOpen; the
	// step that would fail, where it is ActionLeave.
	Prerequisite ID
	// Err is why Apply failed, where it did.
	Err error
}

// Waits is what a run would wait for after its writes; false where nothing is known to wait for.
func (f Forecast) Waits() (Finding, bool) {
	return f.FindingAfter, f.Action == ActionWrite && f.FindingAfter.State != StateOK && !f.FindingAfter.same(f.Finding)
}

// Forecasts are those of every step, in the order of the graph.
type Forecasts []Forecast

// Changes tells whether a run would have anything to do, if only to wait.
func (f Forecasts) Changes() bool {
	for _, one := range f {
		if one.Action != ActionKeep {
			return true
		}
	}
	return false
}

// Err returns nil if a run could end well as far as is known, else a *RunError with the steps at which it would not.
func (f Forecasts) Err() error {
	var bad []Result
	for _, one := range f {
		res := Result{Step: one.Step, Finding: one.Finding, Err: one.Err}
		switch one.Action {
		case ActionStop:
			res.Outcome = OutcomeBroken
			if one.Err != nil {
				res.Outcome = OutcomeFailed
			}
		case ActionUnseen:
			res.Outcome = OutcomeFailed
		case ActionPerson:
			res.Outcome = OutcomeMissing
		case ActionLeave:
			res.Outcome = OutcomeBlocked
		case ActionKeep, ActionWrite, ActionWait, ActionOpen:
			continue
		}
		if errors.Is(one.Err, context.Canceled) {
			res.Outcome = OutcomeInterrupted
		}
		bad = append(bad, res)
	}
	if len(bad) == 0 {
		return nil
	}
	return &RunError{Results: bad}
}

// maxApplyRounds bounds how often one step's Apply is asked while planning: some write in two or three strokes.
const maxApplyRounds = 5

// Plan walks the graph in the order of needs, one step after the other, and tells what Run would do. Apply is called as
// Run would, so the steps must have been made with a client that writes nothing; where that client shows its own writes
// to later reads, later steps are planned on top of them. Nothing is waited for. After each step told is called, if it
// is not nil.
//
// Of opt, Skip, Timeout and Transient count.
func (g *Graph) Plan(ctx context.Context, opt Options, told func(Forecast)) Forecasts {
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	forecasts := make(Forecasts, len(g.steps))
	for _, i := range g.order() {
		forecasts[i] = g.forecast(ctx, opt, forecasts, &g.steps[i])
		if told != nil {
			told(forecasts[i])
		}
	}
	return forecasts
}

// order is the steps' places, each after what it needs or waits for, otherwise as they stand.
func (g *Graph) order() []int {
	order, seen := make([]int, 0, len(g.steps)), make([]bool, len(g.steps))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, need := range g.before(&g.steps[i]) {
			visit(g.index[need])
		}
		order = append(order, i)
	}
	for i := range g.steps {
		visit(i)
	}
	return order
}

// forecast tells of one step. The forecasts of what it needs are made already.
func (g *Graph) forecast(ctx context.Context, opt Options, made Forecasts, s *Step) Forecast {
	f := Forecast{Step: s, Action: ActionKeep, Finding: Finding{State: StateSkipped}}
	if opt.Skip[s.ID] {
		return f
	}
	var unreal ID
	for _, need := range s.Needs {
		switch made[g.index[need]].Action {
		case ActionKeep:
		case ActionWrite, ActionWait, ActionOpen:
			unreal = need
		case ActionPerson, ActionStop, ActionUnseen, ActionLeave:
			f.Action, f.Prerequisite, f.Finding = ActionLeave, need, Finding{Message: "needs " + string(need)}
			return f
		}
	}
	f.Finding = s.Check(ctx)
	f.FindingAfter = f.Finding
	f.applyPlanned(ctx)
	f.Action = f.action(ctx, opt)
	if unreal != "" && (f.Action == ActionStop || f.Action == ActionPerson || f.Action == ActionUnseen &&
		!f.Finding.Final &&
		ctx.Err() == nil) {
		// What it found may be only because what it needs is not there yet.
		f.Action, f.Prerequisite = ActionOpen, unreal
	}
	return f
}

// applyPlanned has written what is missing.
func (f *Forecast) applyPlanned(ctx context.Context) {
	for range maxApplyRounds {
		if f.FindingAfter.State != StateMissing || f.Step.Apply == nil {
			return
		}
		change, err := f.Step.Apply(ctx)
		if change != "" && (err == nil || change != Unchanged) {
			f.Change = Join(f.Change, change)
		}
		if err != nil {
			f.Err = err
			return
		}
		before := f.FindingAfter
		f.FindingAfter = f.Step.Check(ctx)
		if f.FindingAfter.same(before) {
			return
		}
	}
}

// action is what a run would do if all the step needs is real.
func (f *Forecast) action(ctx context.Context, opt Options) Action {
	switch {
	case f.Err != nil && (opt.transient(f.Err) || ctx.Err() != nil):
		return ActionUnseen
	case f.Err != nil:
		return ActionStop
	case f.Change != "":
		return ActionWrite
	}
	switch f.Finding.State {
	case StateOK, StateSkipped:
		return ActionKeep
	case StatePending:
		return unlessAdvisory(f.Step, ActionWait)
	case StateMissing:
		return unlessAdvisory(f.Step, ActionPerson)
	case StateBroken:
		return unlessAdvisory(f.Step, ActionStop)
	case StateUnknown:
	}
	return unlessAdvisory(f.Step, ActionUnseen)
}

// unlessAdvisory leaves an Advisory step be: it is told, but nothing is done about it.
func unlessAdvisory(s *Step, w Action) Action {
	if s.Severity == Advisory {
		return ActionKeep
	}
	return w
}
