package step

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The pauses between attempts that heal by themselves grow from retryFirst to retryMost. A change of what the step looks at,
// such as a kind that is now registered, cuts the pause short, to no less than retrySoonest.
const (
	retrySoonest = 50 * time.Millisecond
	retryFirst   = 250 * time.Millisecond
	retryMost    = 5 * time.Second
)

// Run makes every step's predicate true: steps begin as soon as their needs hold, side by side. A step that fails does not
// stop those that do not need it. The Report has every step; its Err says what did not end well.
func (g *Graph) Run(ctx context.Context, opt Options) Report {
	begin := time.Now()
	bounded := ctx
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	r := &runner{opt: opt, tell: teller(opt.Observe), outer: ctx, results: make([]Result, len(g.steps)), places: newPlaces(opt.Parallel)}
	turns := newTurns(bounded, opt.Subjects, opt.SubjectTimeout, g.steps)
	ended := make([]chan struct{}, len(g.steps))
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for i := range g.steps {
		wg.Go(func() {
			defer close(ended[i])
			s := &g.steps[i]
			defer turns.give(s)
			bounded := turns.take(s)
			for _, need := range g.before(s) {
				<-ended[g.index[need]]
			}
			res := r.blocked(g, s)
			if res == nil {
				if !opt.Skip[s.ID] {
					r.tell(Event{Phase: Begun, Step: s})
				}
				r.places.take()
				res = r.run(bounded, s)
				r.places.give()
			}
			r.results[i] = *res
			r.tell(Event{Phase: Finished, Step: s, Finding: res.Finding, Change: res.Change, Result: &r.results[i], Elapsed: res.Elapsed})
		})
	}
	wg.Wait()
	return Report{Results: r.results, Elapsed: time.Since(begin)}
}

// runner carries one Run.
type runner struct {
	opt  Options
	tell func(Event)
	// outer is the caller's context: when it ends the run was interrupted, else its time was up.
	outer   context.Context //nolint:containedctx // it is asked for its end, to tell interruption from a time limit
	results []Result
	places  places
}

// places bound how many steps are under way; nil means no bound.
type places chan struct{}

func newPlaces(n int) places {
	if n <= 0 {
		return nil
	}
	return make(places, n)
}

func (p places) take() {
	if p != nil {
		p <- struct{}{}
	}
}

func (p places) give() {
	if p != nil {
		<-p
	}
}

// blocked returns the result of a step whose needs did not all end well, else nil. Their results are complete: the caller
// has waited for them.
func (r *runner) blocked(g *Graph, s *Step) *Result {
	for _, need := range s.Needs {
		if n := r.results[g.index[need]]; !n.Good() {
			return &Result{Step: s, Outcome: Blocked, Finding: Finding{State: Unknown, Message: fmt.Sprintf("needs %s", need)}}
		}
	}
	return nil
}

// run takes one step from its first check to its end.
func (r *runner) run(ctx context.Context, s *Step) *Result {
	res := &Result{Step: s, Outcome: Done, Finding: Finding{State: Skipped}}
	if r.opt.Skip[s.ID] {
		return res
	}
	start := time.Now()
	res.Begun = start
	defer func() { res.Elapsed = time.Since(start) }()
	if ctx.Err() != nil {
		res.Finding = Unseen("not begun")
		(&waiting{runner: r, res: res}).stopped()
		return res
	}
	if bound := r.opt.timeout(s); bound > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, bound)
		defer cancel()
	}
	res.Finding = s.Check(r.opt.once(ctx))
	r.tell(Event{Phase: Checked, Step: s, Finding: res.Finding})
	if res.Finding.State == OK {
		res.Change = Unchanged
		return res
	}
	if s.Severity == Advisory && s.Apply == nil {
		res.Outcome = verdict(r.outer, s, res.Finding)
		return res
	}
	w := r.opt.watch()
	defer w.Close()
	(&waiting{runner: r, step: s, res: res, watch: w, start: start, since: start}).untilEnd(ctx)
	return res
}

// waiting is one step that does not hold yet.
type waiting struct {
	*runner
	step  *Step
	res   *Result
	watch Watch
	start time.Time
	// pause is the next pause before an attempt that may heal by itself.
	pause time.Duration
	// nextApply is the earliest time Apply may be called again, and soonestApply if something changes before that.
	nextApply, soonestApply time.Time
	// watched is whether the last finding was made under the watch; one that was not wakes nobody.
	watched bool
	// since is when the current finding was first made.
	since time.Time
}

// untilEnd applies and checks until the predicate holds, cannot hold, or ctx ends.
func (w *waiting) untilEnd(ctx context.Context) {
	for {
		again, end := w.act(ctx)
		if end {
			return
		}
		if !w.sleep(ctx, again) {
			w.stopped()
			return
		}
		finding := w.step.Check(w.watch.Context(ctx))
		if ctx.Err() != nil && finding.State != OK {
			// What a cut-off check says is about the cutting, not about the cluster: the last finding stands.
			w.stopped()
			return
		}
		if !finding.same(w.res.Finding) {
			w.since = time.Now()
			w.tell(Event{Phase: WaitingOn, Step: w.step, Finding: finding, Elapsed: time.Since(w.start)})
		}
		w.res.Finding, w.watched = finding, true
	}
}

// act does what the current finding asks for. It returns when to look again at the latest (zero: only when something
// changes) and whether the step has ended.
func (w *waiting) act(ctx context.Context) (again time.Duration, end bool) {
	f := w.res.Finding
	switch f.State {
	case OK, Skipped:
		w.res.Outcome = Done
		return 0, true
	case Broken:
		w.res.Outcome = verdict(w.outer, w.step, f)
		return 0, true
	case Missing:
		if w.step.Apply == nil {
			w.res.Outcome = verdict(w.outer, w.step, f)
			return 0, true
		}
		return w.apply(ctx)
	case Unknown:
		if f.Final {
			w.res.Outcome = verdict(w.outer, w.step, f)
			return 0, true
		}
		return w.backoff(), false
	case Pending:
		w.pause = 0
	}
	if !w.watched {
		return time.Nanosecond, false
	}
	return w.patience(f)
}

// patience ends a step that is in the same trouble for too long, and else says when to look again.
func (w *waiting) patience(f Finding) (again time.Duration, end bool) {
	if !f.Trouble || w.opt.TroubleTimeout <= 0 {
		return f.Recheck, false
	}
	left := w.opt.TroubleTimeout - time.Since(w.since)
	if left <= 0 {
		w.res.Finding.Message += fmt.Sprintf(" (unchanged for %s)", w.opt.TroubleTimeout)
		w.res.Outcome = Hopeless
		return 0, true
	}
	if f.Recheck > 0 {
		left = min(left, f.Recheck)
	}
	return left, false
}

// apply calls Apply unless it was called a moment ago, and keeps what it did.
func (w *waiting) apply(ctx context.Context) (again time.Duration, end bool) {
	if early := time.Until(w.nextApply); early > 0 {
		return early, false
	}
	w.tell(Event{Phase: Applying, Step: w.step, Finding: w.res.Finding, Elapsed: time.Since(w.start)})
	change, err := w.step.Apply(ctx)
	if change != "" {
		w.res.Change = Join(w.res.Change, change)
	}
	switch {
	case err == nil:
		w.nextApply = time.Now().Add(w.backoff())
		w.soonestApply = w.nextApply
		w.tell(Event{Phase: Applied, Step: w.step, Finding: w.res.Finding, Change: change, Elapsed: time.Since(w.start)})
		// Look at once, now under the watch: whatever happens from here on wakes the step.
		return time.Nanosecond, false
	case ctx.Err() != nil:
		w.stopped()
		return 0, true
	case w.opt.transient(err):
		pause := w.backoff()
		w.nextApply, w.soonestApply = time.Now().Add(pause), time.Now().Add(retrySoonest)
		f := w.res.Finding
		f.Message = w.opt.explain(err)
		if !f.same(w.res.Finding) {
			w.tell(Event{Phase: WaitingOn, Step: w.step, Finding: f, Elapsed: time.Since(w.start)})
		}
		w.res.Finding = f
		return pause, false
	default:
		w.res.Outcome, w.res.Err = Failed, err
		return 0, true
	}
}

// backoff returns the next pause, doubling up to retryMost.
func (w *waiting) backoff() time.Duration {
	w.pause = min(max(2*w.pause, retryFirst), retryMost)
	return w.pause
}

// sleep returns false if ctx ended before something changed or again was over.
func (w *waiting) sleep(ctx context.Context, again time.Duration) bool {
	var alarm <-chan time.Time
	if again > 0 {
		timer := time.NewTimer(again)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-w.watch.Changed():
		w.nextApply = w.soonestApply
		return ctx.Err() == nil
	case <-alarm:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// stopped ends the step because its context has.
func (w *waiting) stopped() {
	w.res.Outcome = TimedOut
	if w.outer.Err() != nil && !errors.Is(w.outer.Err(), context.DeadlineExceeded) {
		w.res.Outcome = Interrupted
	}
}
