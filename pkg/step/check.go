package step

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Check asks every predicate once, all of them side by side and regardless of needs, and changes nothing.
//
// A step that is not StateOK ends OutcomeMissing (missing or pending), Hopeless (broken), Failed (unknown) or, if
// Advisory, Warned.
func (g *Graph) Check(ctx context.Context, opt Options) Report {
	begin := time.Now()
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	tell := serialObserver(opt.Observe)
	asked := g.requested()
	results := make([]Result, len(asked))
	places := newSemaphore(opt.Parallel)
	var wg sync.WaitGroup
	for i, s := range asked {
		wg.Go(func() {
			places.acquire()
			defer places.release()
			start := time.Now()
			res := Result{Step: s, Outcome: OutcomeDone, Finding: Finding{State: StateSkipped}}
			if !opt.Skip[s.ID] {
				res.Finding = s.Check(ctx)
				res.Outcome = outcomeOf(ctx, s, res.Finding)
			}
			res.Elapsed = time.Since(start)
			results[i] = res
			tell(Event{Phase: Finished, Step: s, Finding: res.Finding, Result: &results[i], Elapsed: res.Elapsed})
		})
	}
	wg.Wait()
	return Report{Results: results, Elapsed: time.Since(begin)}
}

// requested are the steps a person asked for: all but those that are there only because others need them.
func (g *Graph) requested() []*Step {
	steps := make([]*Step, 0, len(g.steps))
	for i := range g.steps {
		if !g.steps[i].support {
			steps = append(steps, &g.steps[i])
		}
	}
	return steps
}

// outcomeOf is how a step ends when nothing more is done about its finding.
func outcomeOf(ctx context.Context, s *Step, f Finding) Outcome {
	switch {
	case f.State == StateOK || f.State == StateSkipped:
		return OutcomeDone
	case errors.Is(ctx.Err(), context.Canceled):
		return OutcomeInterrupted
	case s.Severity == Advisory:
		return OutcomeWarned
	case f.State == StateBroken:
		return OutcomeBroken
	case f.State == StateUnknown:
		return OutcomeFailed
	default:
		return OutcomeMissing
	}
}

// serialObserver makes an observer safe to call from every step at once; a nil one is told nothing.
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
