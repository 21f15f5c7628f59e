package step

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Check calls the Check of every requested step, all in parallel and regardless of Needs. It changes nothing.
//
// A step that is not StateOK gets OutcomeMissing (missing or pending), OutcomeBroken, OutcomeFailed (unknown) or, for
// StateWarning or if Advisory, OutcomeWarned.
func (g *Graph) Check(ctx context.Context, opt Options) Report {
	begin := time.Now()
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	notify := serialObserver(opt.Observe)
	steps := g.requested()
	results := make([]Result, len(steps))
	slots := newSemaphore(opt.Parallel)
	var wg sync.WaitGroup
	for i, s := range steps {
		wg.Go(func() {
			slots.acquire()
			defer slots.release()
			start := time.Now()
			res := Result{Step: s, Outcome: OutcomeDone, Finding: Finding{State: StateSkipped}}
			if !opt.Skip[s.ID] {
				res.Finding = s.Check(ctx, opt.readCache(ctx))
				res.Outcome = outcomeOf(ctx, s, res.Finding)
			}
			res.Elapsed = time.Since(start)
			results[i] = res
			notify(Event{Phase: Finished, Step: s, Finding: res.Finding, Result: &results[i], Elapsed: res.Elapsed})
		})
	}
	wg.Wait()
	return Report{Results: results, Elapsed: time.Since(begin)}
}

// requested returns the steps of the caller, without those that Only added because other steps need them.
func (g *Graph) requested() []*Step {
	steps := make([]*Step, 0, len(g.steps))
	for i := range g.steps {
		if !g.steps[i].support {
			steps = append(steps, &g.steps[i])
		}
	}
	return steps
}

// outcomeOf returns the outcome of a step with this last finding.
func outcomeOf(ctx context.Context, s *Step, f Finding) Outcome {
	switch {
	case f.State == StateOK || f.State == StateSkipped:
		return OutcomeDone
	case errors.Is(ctx.Err(), context.Canceled):
		return OutcomeInterrupted
	case s.Severity == Advisory, f.State == StateWarning:
		return OutcomeWarned
	case f.State == StateBroken:
		return OutcomeBroken
	case f.State == StateUnknown:
		return OutcomeFailed
	default:
		return OutcomeMissing
	}
}

// serialObserver returns an observer that calls observe from one goroutine at a time. A nil observe is allowed.
func serialObserver(observe func(Event)) func(Event) {
	if observe == nil {
		return func(Event) {}
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		e.Time = time.Now()
		observe(e)
	}
}
