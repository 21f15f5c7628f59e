package step

import (
	"context"
	"errors"
)

// Will is what a run would do about one step.
type Will string

// What a run can have to do about a step.
const (
	// WillKeep means the predicate holds: nothing to do.
	WillKeep Will = "keep"
	// WillWrite means Apply writes something, and the step may then wait.
	WillWrite Will = "write"
	// WillWait means nothing is to be written, but the cluster is not done yet.
	WillWait Will = "wait"
	// WillOpen means it cannot be told before something the step needs has really happened.
	WillOpen Will = "open"
	// WillPerson means only a person can make the predicate true; a run would fail here.
	WillPerson Will = "person"
	// WillStop means the step is broken, or its writes are refused; a run would fail here.
	WillStop Will = "stop"
	// WillUnseen means the state cannot be known.
	WillUnseen Will = "unseen"
	// WillLeave means the step is not begun, because a run would fail at one it needs.
	WillLeave Will = "leave"
)

// Forecast is what a run would do about one step, as far as that can be told.
type Forecast struct {
	Step *Step
	Will Will
	// Finding is the first one.
	Finding Finding
	// Change is what Apply did, or would have done; empty if it was not called.
	Change Change
	// Then is the finding after what was planned, where that changed it; else it is Finding.
	Then Finding
	// After names the step that has to have happened before this one can be told, where Will is WillOpen; the step that
	// would fail, where it is WillLeave.
	After ID
	// Err is why Apply failed, where it did.
	Err error
}

// Waits is what a run would wait for after its writes; false where nothing is known to wait for.
func (f Forecast) Waits() (Finding, bool) {
	return f.Then, f.Will == WillWrite && f.Then.State != StateOK && !f.Then.same(f.Finding)
}

// Forecasts are those of every step, in the order of the graph.
type Forecasts []Forecast

// Changes tells whether a run would have anything to do, if only to wait.
func (f Forecasts) Changes() bool {
	for _, one := range f {
		if one.Will != WillKeep {
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
		switch one.Will {
		case WillStop:
			res.Outcome = Hopeless
			if one.Err != nil {
				res.Outcome = Failed
			}
		case WillUnseen:
			res.Outcome = Failed
		case WillPerson:
			res.Outcome = NotDone
		case WillLeave:
			res.Outcome = Blocked
		case WillKeep, WillWrite, WillWait, WillOpen:
			continue
		}
		if errors.Is(one.Err, context.Canceled) {
			res.Outcome = Interrupted
		}
		bad = append(bad, res)
	}
	if len(bad) == 0 {
		return nil
	}
	return &RunError{Results: bad}
}

// planRounds bounds how often one step's Apply is asked while planning: some write in two or three strokes.
const planRounds = 5

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
	f := Forecast{Step: s, Will: WillKeep, Finding: Finding{State: StateSkipped}}
	if opt.Skip[s.ID] {
		return f
	}
	var unreal ID
	for _, need := range s.Needs {
		switch made[g.index[need]].Will {
		case WillKeep:
		case WillWrite, WillWait, WillOpen:
			unreal = need
		case WillPerson, WillStop, WillUnseen, WillLeave:
			f.Will, f.After, f.Finding = WillLeave, need, Finding{Message: "needs " + string(need)}
			return f
		}
	}
	f.Finding = s.Check(ctx)
	f.Then = f.Finding
	f.apply(ctx)
	f.Will = f.judge(ctx, opt)
	if unreal != "" && (f.Will == WillStop || f.Will == WillPerson || f.Will == WillUnseen && !f.Finding.Final &&
		ctx.Err() == nil) {
		// What it found may be only because what it needs is not there yet.
		f.Will, f.After = WillOpen, unreal
	}
	return f
}

// apply has written what is missing.
func (f *Forecast) apply(ctx context.Context) {
	for range planRounds {
		if f.Then.State != StateMissing || f.Step.Apply == nil {
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
		before := f.Then
		f.Then = f.Step.Check(ctx)
		if f.Then.same(before) {
			return
		}
	}
}

// judge is what a run would do if all the step needs is real.
func (f *Forecast) judge(ctx context.Context, opt Options) Will {
	switch {
	case f.Err != nil && (opt.transient(f.Err) || ctx.Err() != nil):
		return WillUnseen
	case f.Err != nil:
		return WillStop
	case f.Change != "":
		return WillWrite
	}
	switch f.Finding.State {
	case StateOK, StateSkipped:
		return WillKeep
	case StatePending:
		return orKeep(f.Step, WillWait)
	case StateMissing:
		return orKeep(f.Step, WillPerson)
	case StateBroken:
		return orKeep(f.Step, WillStop)
	case StateUnknown:
	}
	return orKeep(f.Step, WillUnseen)
}

// orKeep leaves an Advisory step be: it is told, but nothing is done about it.
func orKeep(s *Step, w Will) Will {
	if s.Severity == Advisory {
		return WillKeep
	}
	return w
}
