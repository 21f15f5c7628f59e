package step

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// waiter is one step that does not hold yet.
type waiter struct {
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
	// reported is the finding observers know, and since when it was first made.
	reported Finding
	since    time.Time
	// retriedFor is the finding that called for a write which has failed since, while told says why it did.
	retriedFor *Finding
}

// wait applies and checks until the predicate holds, cannot hold, or ctx ends.
func (w *waiter) wait(ctx context.Context) {
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
		if ctx.Err() != nil && finding.State != StateOK {
			// What a cut-off check says is about the cutting, not about the cluster: the last finding stands.
			w.stopped()
			return
		}
		w.report(finding)
		w.watched = true
	}
}

// report keeps a finding, and tells it unless it is known, or nothing of the step's own.
func (w *waiter) report(f Finding) {
	w.res.Finding = f
	// What a write that failed was called for by is still so, which is no news: why it failed is.
	if f.Outage || f.same(w.reported) || w.retriedFor != nil && f.same(*w.retriedFor) {
		return
	}
	w.reported, w.since, w.retriedFor = f, time.Now(), nil
	w.observe(Event{Phase: WaitingOn, Step: w.step, Finding: f, Elapsed: time.Since(w.start)})
}

// act does what the current finding asks for. It returns when to look again at the latest (zero: only when something
// changes) and whether the step has ended.
func (w *waiter) act(ctx context.Context) (again time.Duration, end bool) {
	f := w.res.Finding
	switch f.State {
	case StateOK, StateSkipped:
		w.res.Outcome = OutcomeDone
		return 0, true
	case StateBroken:
		w.res.Outcome = outcomeOf(w.outer, w.step, f)
		return 0, true
	case StateMissing:
		if w.step.Apply == nil {
			w.res.Outcome = outcomeOf(w.outer, w.step, f)
			return 0, true
		}
		return w.apply(ctx)
	case StateUnknown:
		if f.Final {
			w.res.Outcome = outcomeOf(w.outer, w.step, f)
			return 0, true
		}
		return w.backoff(), false
	case StatePending:
		w.pause = 0
	}
	if !w.watched {
		return time.Nanosecond, false
	}
	return w.checkTrouble(f)
}

// checkTrouble ends a step that is in the same trouble for too long, and else says when to look again.
func (w *waiter) checkTrouble(f Finding) (again time.Duration, end bool) {
	if !f.Trouble || w.opt.TroubleTimeout <= 0 {
		return f.Recheck, false
	}
	left := w.opt.TroubleTimeout - time.Since(w.since)
	if left <= 0 {
		w.res.Finding.Message += fmt.Sprintf(" (unchanged for %s)", w.opt.TroubleTimeout)
		w.res.Outcome = OutcomeBroken
		return 0, true
	}
	if f.Recheck > 0 {
		left = min(left, f.Recheck)
	}
	return left, false
}

// apply calls Apply unless it was called a moment ago, and keeps what it did.
func (w *waiter) apply(ctx context.Context) (again time.Duration, end bool) {
	if early := time.Until(w.nextApply); early > 0 {
		return early, false
	}
	w.observe(Event{Phase: Applying, Step: w.step, Finding: w.res.Finding, Elapsed: time.Since(w.start)})
	if w.opt.BeforeWrite != nil {
		w.opt.BeforeWrite()
	}
	change, err := w.step.Apply(ctx)
	if change != "" {
		w.res.Change = Join(w.res.Change, change)
	}
	switch {
	case err == nil:
		w.nextApply = time.Now().Add(w.backoff())
		w.soonestApply = w.nextApply
		w.observe(Event{Phase: Applied, Step: w.step, Finding: w.res.Finding, Change: change, Elapsed: time.Since(w.start)})
		// Look at once, now under the watch: whatever happens from here on wakes the step.
		return time.Nanosecond, false
	case ctx.Err() != nil:
		w.stopped()
		return 0, true
	case w.opt.transient(err):
		pause := w.backoff()
		w.nextApply, w.soonestApply = time.Now().Add(pause), time.Now().Add(minRetryPause)
		asked := w.res.Finding
		f := asked
		f.Message, f.Outage = w.opt.explain(err), w.opt.isOutage(err)
		if w.report(f); !f.Outage {
			w.retriedFor = &asked
		}
		return pause, false
	default:
		w.res.Outcome, w.res.Err = OutcomeFailed, err
		return 0, true
	}
}

// backoff returns the next pause, doubling up to maxBackoff.
func (w *waiter) backoff() time.Duration {
	w.pause = min(max(2*w.pause, firstBackoff), maxBackoff)
	return w.pause
}

// sleep returns false if ctx ended before something changed or again was over.
func (w *waiter) sleep(ctx context.Context, again time.Duration) bool {
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
func (w *waiter) stopped() {
	w.res.Outcome = OutcomeTimedOut
	if w.outer.Err() != nil && !errors.Is(w.outer.Err(), context.DeadlineExceeded) {
		w.res.Outcome = OutcomeInterrupted
	}
}
