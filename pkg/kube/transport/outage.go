package transport

import (
	"context"
	"errors"
	"sync"
	"time"
)

// outageAfter is the time without a successful request after which the API server counts as unreachable. A new
// connection takes less.
const outageAfter = 500 * time.Millisecond

// The threshold grows with each outage up to maxOutageAfter, so that a server that comes and goes is reported less
// often. It is reset to outageAfter after calmPeriod without a failed request.
const (
	maxOutageAfter = 8 * time.Second
	calmPeriod     = time.Minute // without a single request that had no answer
)

// Option configures a Client.
type Option func(*Retry)

// OnAway calls away when an API server that has answered before answers no request for half a second. It calls back
// with the duration when the server answers again. Each is called once per outage, from any goroutine, and must not
// block.
//
// Reads and dry runs are retried for 2 minutes; the errors of other requests are IsOutage. away is also called once if
// the server has throttled for five seconds (429, Retry-After).
func OnAway(away func(error), back func(time.Duration)) Option {
	return func(p *Retry) { p.outage.away, p.outage.back = away, back }
}

// IsOutage reports whether an error only means that the API server is unreachable. OnAway reports that, or would if it
// lasted.
func IsOutage(err error) bool {
	var away *outageError
	return errors.As(err, &away)
}

// outageError is the error of a request without an answer. It is a net.Error.
type outageError struct{ error }

// Unwrap returns the network error.
func (e *outageError) Unwrap() error { return e.error }

// Timeout implements net.Error.
func (*outageError) Timeout() bool { return true }

// Temporary implements net.Error.
func (*outageError) Temporary() bool { return true }

// outage tracks whether the API server answers.
type outage struct {
	// away and back report an outage and its end; they may be nil.
	away func(error)
	back func(time.Duration)

	mu sync.Mutex
	// lastAnswer is the time of the last answer, since the time of the first failure after it, or zero.
	lastAnswer, since time.Time
	reported          bool
	// threshold is the minimum duration of the next reported outage; lastRecovery is the end of the last one.
	threshold    time.Duration
	lastRecovery time.Time
}

// answered records an answer.
func (o *outage) answered() {
	now := time.Now()
	o.mu.Lock()
	reported, since := o.reported, o.since
	o.lastAnswer, o.since, o.reported = now, time.Time{}, false
	if !since.IsZero() {
		o.lastRecovery = now
	}
	if reported {
		o.threshold = min(4*o.threshold, maxOutageAfter)
	}
	o.mu.Unlock()
	if reported {
		o.back(now.Sub(since))
	}
}

// failed records a request without an answer that started at began. It returns the error, as outageError if OnAway
// reports it.
func (o *outage) failed(ctx context.Context, began time.Time, err error) error {
	if o.away == nil || ctx.Err() != nil || !IsUnanswered(err) {
		return err
	}
	o.mu.Lock()
	if o.lastAnswer.IsZero() {
		o.mu.Unlock()
		return err
	}
	var timeout *timeoutError
	timedOut := errors.As(err, &timeout)
	if timedOut && o.lastAnswer.After(began) {
		o.mu.Unlock()
		return err // other requests were answered meanwhile, so the server is up
	}
	switch {
	case !o.since.IsZero():
	case timedOut:
		o.since = began
	default:
		o.since = time.Now()
	}
	if o.threshold == 0 || !o.reported && o.since.Sub(o.lastRecovery) > calmPeriod {
		o.threshold = outageAfter
	}
	report := !o.reported && time.Since(o.since) >= o.threshold
	o.reported = o.reported || report
	o.mu.Unlock()
	if report {
		o.away(err)
	}
	return &outageError{err}
}

// everAnswered reports whether the API server has ever answered.
func (o *outage) everAnswered() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.lastAnswer.IsZero()
}
