package step

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Check asks every predicate once, all of them side by side and regardless of needs, and changes nothing.
//
// A step that is not StateOK ends NotDone (missing or pending), Hopeless (broken), Failed (unknown) or, if Advisory,
// Warned.
func (g *Graph) Check(ctx context.Context, opt Options) Report {
	begin := time.Now()
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	tell := teller(opt.Observe)
	asked := g.asked()
	results := make([]Result, len(asked))
	places := newPlaces(opt.Parallel)
	var wg sync.WaitGroup
	for i, s := range asked {
		wg.Go(func() {
			places.take()
			defer places.give()
			start := time.Now()
			res := Result{Step: s, Outcome: Done, Finding: Finding{State: StateSkipped}}
			if !opt.Skip[s.ID] {
				res.Finding = s.Check(ctx)
				res.Outcome = verdict(ctx, s, res.Finding)
			}
			res.Elapsed = time.Since(start)
			results[i] = res
			tell(Event{Phase: Finished, Step: s, Finding: res.Finding, Result: &results[i], Elapsed: res.Elapsed})
		})
	}
	wg.Wait()
	return Report{Results: results, Elapsed: time.Since(begin)}
}

// asked are the steps a person asked for: all but those that are there only because others need them.
func (g *Graph) asked() []*Step {
	steps := make([]*Step, 0, len(g.steps))
	for i := range g.steps {
		if !g.steps[i].support {
			steps = append(steps, &g.steps[i])
		}
	}
	return steps
}

// verdict is how a step ends when nothing more is done about its finding.
func verdict(ctx context.Context, s *Step, f Finding) Outcome {
	switch {
	case f.State == StateOK || f.State == StateSkipped:
		return Done
	case errors.Is(ctx.Err(), context.Canceled):
		return Interrupted
	case s.Severity == Advisory:
		return Warned
	case f.State == StateBroken:
		return Hopeless
	case f.State == StateUnknown:
		return Failed
	default:
		return NotDone
	}
}

// teller makes an observer safe to call from every step at once; a nil one is told nothing.
func teller(observe func(Event)) func(Event) {
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
