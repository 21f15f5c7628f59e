package step

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// The pauses between retries double from firstBackoff to maxBackoff. A change of a watched object ends a pause early,
// but not before minRetryPause.
const (
	minRetryPause = 50 * time.Millisecond
	firstBackoff  = 250 * time.Millisecond
	maxBackoff    = 5 * time.Second
)

// Run applies the steps until each Check reports StateOK. Steps start as soon as their needs have succeeded, in
// parallel.
//
// A failed step stops only its dependents. The Report has every step, and its Err the steps that did not succeed.
func (g *Graph) Run(ctx context.Context, opt Options) Report {
	begin := time.Now()
	limited := ctx
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	r := &runner{opt: opt, observe: serialObserver(opt.Observe), outer: ctx, results: make([]Result, len(g.steps)),
		parallel: newSemaphore(opt.Parallel)}
	queue := newSubjectQueue(limited, opt.Subjects, opt.SubjectTimeout, g.steps)
	ended := make([]chan struct{}, len(g.steps))
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for i := range g.steps {
		wg.Go(func() {
			defer close(ended[i])
			s := &g.steps[i]
			defer queue.release(s)
			limited := queue.acquire(s)
			for _, need := range g.before(s) {
				<-ended[g.index[need]]
			}
			res := r.blocked(g, s)
			if res == nil {
				if !opt.Skip[s.ID] {
					r.observe(Event{Phase: Begun, Step: s})
				}
				r.parallel.acquire()
				res = r.run(limited, s)
				r.parallel.release()
			}
			r.results[i] = *res
			r.observe(Event{Phase: Finished, Step: s, Finding: res.Finding, Change: res.Change, Result: &r.results[i],
				Elapsed: res.Elapsed})
		})
	}
	wg.Wait()
	return Report{Results: r.results, Elapsed: time.Since(begin)}
}

// runner is the state of one Run.
type runner struct {
	opt     Options
	observe func(Event)
	// outer is the caller's context. If it has ended, the run was interrupted; otherwise it timed out.
	outer    context.Context //nolint:containedctx // its error distinguishes an interruption from a timeout
	results  []Result
	parallel semaphore
}

// semaphore limits the number of steps in progress. Nil means no limit.
type semaphore chan struct{}

func newSemaphore(n int) semaphore {
	if n <= 0 {
		return nil
	}
	return make(semaphore, n)
}

func (p semaphore) acquire() {
	if p != nil {
		p <- struct{}{}
	}
}

func (p semaphore) release() {
	if p != nil {
		<-p
	}
}

// blocked returns a result if a need of the step did not succeed, else nil. The needs must have ended.
func (r *runner) blocked(g *Graph, s *Step) *Result {
	for _, need := range s.Needs {
		if n := r.results[g.index[need]]; !n.Good() {
			return &Result{Step: s, Outcome: OutcomeBlocked, Finding: Finding{State: StateUnknown,
				Message: fmt.Sprintf("needs %s", need)}}
		}
	}
	return nil
}

// run runs one step from its first Check to its end.
func (r *runner) run(ctx context.Context, s *Step) *Result {
	res := &Result{Step: s, Outcome: OutcomeDone, Finding: Finding{State: StateSkipped}}
	if r.opt.Skip[s.ID] {
		return res
	}
	start := time.Now()
	res.Begun = start
	defer func() { res.Elapsed = time.Since(start) }()
	if ctx.Err() != nil {
		res.Finding = Unknown("not begun")
		(&waiter{runner: r, res: res}).stopped()
		return res
	}
	if bound := r.opt.timeout(s); bound > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, bound)
		defer cancel()
	}
	if r.attempt(ctx, s, res) {
		return res
	}
	res.Finding = s.Check(ctx, r.opt.readCache(ctx))
	r.observe(Event{Phase: Checked, Step: s, Finding: res.Finding})
	if res.Finding.State == StateOK {
		res.Change = Unchanged
		return res
	}
	if s.Severity == Advisory && s.Apply == nil {
		res.Outcome = outcomeOf(r.outer, s, res.Finding)
		return res
	}
	w := r.opt.watch()
	defer w.Close()
	(&waiter{runner: r, step: s, res: res, watch: w, start: start, reported: res.Finding, since: start}).wait(ctx)
	return res
}

// attempt calls Attempt and reports whether the step is done.
func (r *runner) attempt(ctx context.Context, s *Step, res *Result) bool {
	if s.Attempt == nil {
		return false
	}
	if r.opt.BeforeWrite != nil {
		r.opt.BeforeWrite()
	}
	change, f := s.Attempt(ctx)
	if f.State != StateOK {
		return false
	}
	res.Finding, res.Change = f, change
	r.observe(Event{Phase: Applied, Step: s, Finding: f, Change: change, Elapsed: time.Since(res.Begun)})
	return true
}
