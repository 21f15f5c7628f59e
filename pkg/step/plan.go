package step

import (
	"context"
	"errors"
	"sync"
)

// Action is what a run would do about one step.
type Action string

// The actions.
const (
	// ActionKeep means that the Check reports StateOK: nothing to do.
	ActionKeep Action = "keep"
	// ActionWrite means that Apply writes something. The step may wait afterwards.
	ActionWrite Action = "write"
	// ActionWait means that nothing has to be written, but the cluster is not ready yet.
	ActionWait Action = "wait"
	// ActionOpen means that the action depends on a need that is only planned so far.
	ActionOpen Action = "open"
	// ActionPerson means that only a user can make the Check succeed. A run would fail here.
	ActionPerson Action = "person"
	// ActionStop means that the step is broken, or that its writes are refused. A run would fail here.
	ActionStop Action = "stop"
	// ActionUnseen means that the state cannot be read.
	ActionUnseen Action = "unseen"
	// ActionLeave means that the step does not begin, because a run would fail at one of its needs.
	ActionLeave Action = "leave"
)

// Forecast says what a run would do about one step, as far as this is known.
type Forecast struct {
	Step   *Step
	Action Action
	// Finding is the result of the first Check.
	Finding Finding
	// Change is what Apply would have done, empty if it was not called.
	Change Change
	// FindingAfter is the result of the Check after the planned writes. Without writes it equals Finding.
	FindingAfter Finding
	// Prerequisite is the need that has to be real first (ActionOpen) or that would fail (ActionLeave).
	Prerequisite ID
	// Err is the error of Apply.
	Err error
}

// Waits returns what a run would wait for after its writes, and false if it knows of nothing.
func (f Forecast) Waits() (Finding, bool) {
	return f.FindingAfter, f.Action == ActionWrite && f.FindingAfter.State != StateOK && !f.FindingAfter.same(f.Finding)
}

// Forecasts are the forecasts of all steps, in the order of the graph.
type Forecasts []Forecast

// Changes reports whether a run would do anything, even if it would only wait.
func (f Forecasts) Changes() bool {
	for _, one := range f {
		if one.Action != ActionKeep {
			return true
		}
	}
	return false
}

// Err returns nil if a run could succeed as far as is known, else a *RunError with the steps that would fail.
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

// maxApplyRounds bounds the calls of one step's Apply in a plan: some write in two or three rounds.
const maxApplyRounds = 5

// Plan says what Run would do. It visits the steps one after the other, in the order of their needs, and waits for
// nothing. The Checks of steps in a row that write nothing run in parallel, at most Parallel at a time.
//
// It calls Apply, so the steps must have a client that writes nothing, such as that of kube.Client.Planning. Plan calls
// observe after each step, unless it is nil, and uses only Ahead, Parallel, Skip, Timeout and Transient of opt.
func (g *Graph) Plan(ctx context.Context, opt Options, observe func(Forecast)) Forecasts {
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	forecasts := make(Forecasts, len(g.steps))
	order := g.order()
	if opt.Ahead {
		g.findings(ctx, opt, order)
	}
	for len(order) > 0 {
		row := 1
		for g.steps[order[0]].Apply == nil && row < len(order) && g.steps[order[row]].Apply == nil {
			row++
		}
		var found map[int]Finding
		if row > 1 && !g.failsBefore(forecasts, order[0]) {
			found = g.findings(ctx, opt, order[:row])
		}
		for _, i := range order[:row] {
			first := func() Finding { return g.steps[i].Check(ctx, nil) }
			if f, ok := found[i]; ok {
				first = func() Finding { return f }
			}
			forecasts[i] = g.forecast(ctx, opt, forecasts, &g.steps[i], first)
			if observe != nil {
				observe(forecasts[i])
			}
		}
		order = order[row:]
	}
	return forecasts
}

// findings calls the Checks of these steps in parallel.
func (g *Graph) findings(ctx context.Context, opt Options, of []int) map[int]Finding {
	found := map[int]Finding{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	places := newSemaphore(opt.Parallel)
	for _, i := range of {
		if opt.Skip[g.steps[i].ID] {
			continue
		}
		wg.Go(func() {
			places.acquire()
			defer places.release()
			f := g.steps[i].Check(ctx, nil)
			mu.Lock()
			defer mu.Unlock()
			found[i] = f
		})
	}
	wg.Wait()
	return found
}

// failsBefore reports whether a run would fail at a need of the step, so that its Check is not called.
func (g *Graph) failsBefore(made Forecasts, i int) bool {
	for _, need := range g.steps[i].Needs {
		switch made[g.index[need]].Action {
		case ActionPerson, ActionStop, ActionUnseen, ActionLeave:
			return true
		case ActionKeep, ActionWrite, ActionWait, ActionOpen:
		}
	}
	return false
}

// order returns the indexes of the steps, each after its needs.
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

// forecast plans one step. made must have the forecasts of its needs; check is its first Check.
func (g *Graph) forecast(ctx context.Context, opt Options, made Forecasts, s *Step, check func() Finding) Forecast {
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
	f.Finding = check()
	f.FindingAfter = f.Finding
	f.applyPlanned(ctx, opt)
	f.Action = f.action(ctx, opt)
	open := f.Action == ActionStop || (f.Action == ActionPerson || f.Action == ActionUnseen && ctx.Err() == nil) &&
		!f.Finding.Final
	if unreal != "" && open {
		// The finding may be bad only because the need does not exist yet.
		f.Action, f.Prerequisite = ActionOpen, unreal
	}
	return f
}

// applyPlanned calls Apply until nothing is missing any more. Somebody else may write the object between its read and
// its write, so a transient error is tried again.
func (f *Forecast) applyPlanned(ctx context.Context, opt Options) {
	for range maxApplyRounds {
		if f.FindingAfter.State != StateMissing || f.Step.Apply == nil {
			return
		}
		change, err := f.Step.Apply(ctx)
		if change != "" && (err == nil || change != Unchanged) {
			f.Change = Join(f.Change, change)
		}
		f.Err = err
		if err != nil && (!opt.transient(err) || ctx.Err() != nil) {
			return
		}
		if err != nil {
			continue
		}
		before := f.FindingAfter
		f.FindingAfter = f.Step.Check(ctx, nil)
		if f.FindingAfter.same(before) {
			return
		}
	}
}

// action returns what a run would do if all needs were real.
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

// unlessAdvisory returns ActionKeep for Advisory steps: a run reports them, but does nothing.
func unlessAdvisory(s *Step, w Action) Action {
	if s.Severity == Advisory {
		return ActionKeep
	}
	return w
}
