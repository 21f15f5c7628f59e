package transport

import (
	"context"
	"errors"
	"sync"
	"time"
)

// outageAfter is how long nobody may have had an answer before the API server counts as away: a connection that is cut
// is made anew in less.
const outageAfter = 500 * time.Millisecond

// An API server that comes and goes, which is told once or twice, counts as away after more each time, to no more than
// maxOutageAfter, until it has stayed for calm.
const (
	maxOutageAfter = 8 * time.Second
	calmPeriod     = time.Minute // without a single request that had no answer
)

// Option changes a Client.
type Option func(*Retry)

// OnAway has away called when the API server, which has answered before, has not answered any request, watches
// included, for half a second; and back when it answers again, with how long it was away. Each is called once an
// outage, from any goroutine, and must not block. Requests that change nothing go on trying for 2 minutes; the errors
// of others are IsOutage. away is also called, once as well, when the server has asked for five seconds to come
// again later (429, Retry-After).
func OnAway(away func(error), back func(time.Duration)) Option {
	return func(p *Retry) { p.outage.away, p.outage.back = away, back }
}

// IsOutage tells of an error that it says nothing but that the API server is away, of which OnAway tells, or would
// if it lasted.
func IsOutage(err error) bool {
	var away *outageError
	return errors.As(err, &away)
}

// outageError is a request's that nobody answered. It is a net.Error.
type outageError struct{ error }

// Unwrap gives the network's own error.
func (e *outageError) Unwrap() error { return e.error }

// Timeout implements net.Error.
func (*outageError) Timeout() bool { return true }

// Temporary implements net.Error.
func (*outageError) Temporary() bool { return true }

// outage keeps in mind whether the API server answers.
type outage struct {
	// away and back are told; nil where nobody wants to know.
	away func(error)
	back func(time.Duration)

	mu sync.Mutex
	// answered is when it last did, and since when it has failed after that; zero where it has not.
	lastAnswer, since time.Time
	reported          bool
	// threshold is how long the next outage has to last to be told, and came when the last one, told or not, was over.
	threshold    time.Duration
	lastRecovery time.Time
}

// answered notes an answer.
func (o *outage) answered() {
	now := time.Now()
	o.mu.Lock()
	told, since := o.reported, o.since
	o.lastAnswer, o.since, o.reported = now, time.Time{}, false
	if !since.IsZero() {
		o.lastRecovery = now
	}
	if told {
		o.threshold = min(4*o.threshold, maxOutageAfter)
	}
	o.mu.Unlock()
	if told {
		o.back(now.Sub(since))
	}
}

// failed notes that a request which began then had no answer, and returns its error, marked where somebody else tells
// of it.
func (o *outage) failed(ctx context.Context, began time.Time, err error) error {
	if o.away == nil || ctx.Err() != nil || !IsUnanswered(err) {
		return err
	}
	o.mu.Lock()
	if o.lastAnswer.IsZero() {
		o.mu.Unlock()
		return err
	}
	var silent *timeoutError
	quiet := errors.As(err, &silent)
	if quiet && o.lastAnswer.After(began) {
		o.mu.Unlock()
		return err // others were answered meanwhile: it is this request that is not
	}
	switch {
	case !o.since.IsZero():
	case quiet:
		o.since = began
	default:
		o.since = time.Now()
	}
	if o.threshold == 0 || !o.reported && o.since.Sub(o.lastRecovery) > calmPeriod {
		o.threshold = outageAfter
	}
	tell := !o.reported && time.Since(o.since) >= o.threshold
	o.reported = o.reported || tell
	o.mu.Unlock()
	if tell {
		o.away(err)
	}
	return &outageError{err}
}

// everAnswered tells whether the API server has ever answered.
func (o *outage) everAnswered() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.lastAnswer.IsZero()
}
