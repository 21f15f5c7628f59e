package step

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hcctl/hcctl/internal/failure"
)

// waiter runs one step whose first Check did not report StateOK.
type waiter struct {
	*runner
	step  *Step
	res   *Result
	watch Watch
	start time.Time
	// pause is the last pause before a retry.
	pause time.Duration
	// nextApply is the earliest time of the next Apply; soonestApply replaces it after a change of a watched object.
	nextApply, soonestApply time.Time
	// watched is set if the last Check read through the watch. Otherwise no change wakes the step.
	watched bool
	// reported is the last finding sent to observers; since is the time when it was first found.
	reported Finding
	since    time.Time
	// retriedFor is the finding that caused a failed write. reported then has the reason of the failure.
	retriedFor *Finding
}

// wait calls Apply and Check until the predicate holds, cannot hold, or ctx ends.
func (w *waiter) wait(ctx context.Context) {
	for {
		recheck, end := w.act(ctx)
		if end {
			return
		}
		if !w.sleep(ctx, recheck) {
			w.stopped()
			return
		}
		finding := w.step.Check(ctx, w.watch)
		if ctx.Err() != nil && finding.State != StateOK {
			// A canceled Check says nothing about the cluster, so the last finding stays.
			w.stopped()
			return
		}
		w.report(finding)
		w.watched = true
	}
}

// report stores a finding and sends it to the observer, unless it is unchanged or part of an outage.
func (w *waiter) report(f Finding) {
	w.res.Finding = f
	// The finding that caused a failed write is not reported again: the reason of the failure is more specific.
	if f.Outage || f.same(w.reported) || w.retriedFor != nil && f.same(*w.retriedFor) {
		return
	}
	w.reported, w.since, w.retriedFor = f, time.Now(), nil
	w.observe(Event{Phase: WaitingOn, Step: w.step, Finding: f, Elapsed: time.Since(w.start)})
}

// act handles the current finding. It returns the time until the next Check (zero: only on a change) and whether the
// step has ended.
func (w *waiter) act(ctx context.Context) (recheck time.Duration, end bool) {
	f := w.res.Finding
	switch f.State {
	case StateOK, StateSkipped:
		w.res.Outcome = OutcomeDone
		return 0, true
	case StateBroken, StateWarning:
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

// checkTrouble ends a step whose trouble has not changed for TroubleTimeout. Otherwise it returns the time until the
// next Check.
func (w *waiter) checkTrouble(f Finding) (recheck time.Duration, end bool) {
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

// apply calls Apply unless the backoff forbids it, and stores the result.
func (w *waiter) apply(ctx context.Context) (recheck time.Duration, end bool) {
	if wait := time.Until(w.nextApply); wait > 0 {
		return wait, false
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
		// Check at once, through the watch: from now on every change wakes the step.
		return time.Nanosecond, false
	case ctx.Err() != nil:
		w.stopped()
		return 0, true
	case w.opt.transient(err):
		pause := w.backoff()
		w.nextApply, w.soonestApply = time.Now().Add(pause), time.Now().Add(minRetryPause)
		cause := w.res.Finding
		f := cause
		f.Message, f.Outage = w.opt.explain(err), w.opt.isOutage(err)
		if of := (interface{ Object() string })(nil); errors.As(err, &of) {
			f.Object = of.Object()
		}
		if next := failure.Hint(err); !next.IsZero() {
			f.Hint = next
		}
		if w.report(f); !f.Outage {
			w.retriedFor = &cause
		}
		return pause, false
	default:
		w.res.Outcome, w.res.Err = OutcomeFailed, err
		return 0, true
	}
}

// backoff returns the next pause. It doubles up to maxBackoff.
func (w *waiter) backoff() time.Duration {
	w.pause = min(max(2*w.pause, firstBackoff), maxBackoff)
	return w.pause
}

// sleep waits for a change or for the time recheck. It returns false if ctx ended first.
func (w *waiter) sleep(ctx context.Context, recheck time.Duration) bool {
	var alarm <-chan time.Time
	if recheck > 0 {
		timer := time.NewTimer(recheck)
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

// stopped ends the step because its context has ended.
func (w *waiter) stopped() {
	w.res.Outcome = OutcomeTimedOut
	if w.outer.Err() != nil && !errors.Is(w.outer.Err(), context.DeadlineExceeded) {
		w.res.Outcome = OutcomeInterrupted
	}
}
