package step

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Action is the planned action for one step.
type Action string

// The actions.
const (
	// ActionKeep means that the Check reports StateOK: there is nothing to do.
	ActionKeep Action = "keep"
	// ActionWrite means that Apply writes something. The step may wait afterwards.
	ActionWrite Action = "write"
	// ActionWait means that no write is needed, but the cluster is not ready yet.
	ActionWait Action = "wait"
	// ActionOpen means that the action depends on a need that is only planned.
	ActionOpen Action = "open"
	// ActionPerson means that only a user can make the Check succeed. A run would fail here.
	ActionPerson Action = "person"
	// ActionStop means that the step is broken, or that its writes are rejected. A run would fail here.
	ActionStop Action = "stop"
	// ActionUnseen means that the state cannot be read.
	ActionUnseen Action = "unseen"
	// ActionLeave means that the step does not start, because a run would fail at one of its needs.
	ActionLeave Action = "leave"
)

// Forecast is the plan for one step, as far as it is known.
type Forecast struct {
	Step   *Step
	Action Action
	// Finding is the result of the first Check.
	Finding Finding
	// Change is the planned change by Apply, "" if Apply was not called.
	Change Change
	// FindingAfter is the finding after the planned writes. Without writes it equals Finding.
	FindingAfter Finding
	// Prerequisite is the need that must be applied first (ActionOpen) or that would fail (ActionLeave).
	Prerequisite ID
	// Err is the error of Apply.
	Err error
}

// Waits returns the finding for which a run would wait after its writes, and false if there is none.
func (f Forecast) Waits() (Finding, bool) {
	return f.FindingAfter, f.Action == ActionWrite && f.FindingAfter.State != StateOK && !f.FindingAfter.same(f.Finding)
}

// Forecasts has the forecast of every step, in the order of the graph.
type Forecasts []Forecast

// Changes reports whether a run would write or wait.
func (f Forecasts) Changes() bool {
	return slices.ContainsFunc(f, func(one Forecast) bool { return one.Action != ActionKeep })
}

// Err returns nil if a run could succeed as far as known, else a *RunError with the steps that would fail.
func (f Forecasts) Err() error {
	var failing []Result
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
		failing = append(failing, res)
	}
	if len(failing) == 0 {
		return nil
	}
	return &RunError{Results: failing}
}

// maxApplyRounds is the maximum number of calls of one step's Apply in a plan. Some steps write in two or three rounds.
const maxApplyRounds = 5

// Plan returns what Run would do. It visits the steps one by one, in the order of their needs, and does not wait. The
// Checks of consecutive steps without Apply run in parallel, at most Parallel at a time.
//
// Plan calls Apply, so the steps must have a client that writes nothing, such as that of kube.Client.Planning. It calls
// observe, which may be nil, after each step, and uses only Ahead, Parallel, Skip, Timeout and Transient of opt.
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

// findings runs the Checks of these steps in parallel.
func (g *Graph) findings(ctx context.Context, opt Options, of []int) map[int]Finding {
	found := map[int]Finding{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := newSemaphore(opt.Parallel)
	for _, i := range of {
		if opt.Skip[g.steps[i].ID] {
			continue
		}
		wg.Go(func() {
			slots.acquire()
			defer slots.release()
			f := g.steps[i].Check(ctx, nil)
			mu.Lock()
			defer mu.Unlock()
			found[i] = f
		})
	}
	wg.Wait()
	return found
}

// failsBefore reports whether a run would fail at a need of the step. Then its Check is not called.
func (g *Graph) failsBefore(forecasts Forecasts, i int) bool {
	for _, need := range g.steps[i].Needs {
		switch forecasts[g.index[need]].Action {
		case ActionPerson, ActionStop, ActionUnseen, ActionLeave:
			return true
		case ActionKeep, ActionWrite, ActionWait, ActionOpen:
		}
	}
	return false
}

// order returns the indexes of the steps in topological order.
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

// forecast plans one step. forecasts must have those of its needs; check runs or returns its first Check.
func (g *Graph) forecast(ctx context.Context, opt Options, forecasts Forecasts, s *Step,
	check func() Finding) Forecast {
	f := Forecast{Step: s, Action: ActionKeep, Finding: Finding{State: StateSkipped}}
	if opt.Skip[s.ID] {
		return f
	}
	var planned ID
	for _, need := range s.Needs {
		switch forecasts[g.index[need]].Action {
		case ActionKeep:
		case ActionWrite, ActionWait, ActionOpen:
			planned = need
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
	if planned != "" && open {
		// The finding may be bad only because the need is not applied yet.
		f.Action, f.Prerequisite = ActionOpen, planned
	}
	return f
}

// applyPlanned calls Apply until nothing is missing. Another client may change the object between the read and the
// write, so transient errors are retried.
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

// action returns the action for the step, provided that all needs are applied.
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

// unlessAdvisory returns ActionKeep for Advisory steps: a run reports them but does not wait for them or fail.
func unlessAdvisory(s *Step, w Action) Action {
	if s.Severity == Advisory {
		return ActionKeep
	}
	return w
}
