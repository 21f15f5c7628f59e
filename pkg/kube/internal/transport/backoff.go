package transport

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// outageGrace is how long an API server may ask to come again, fail or be away before somebody is told: a busy one
// does so all the time, and one that is restarted while others take its place is back by then.
const outageGrace = 5 * time.Second

// The pauses after a failed list or watch grow from firstBackoff to MaxBackoff: short, since somebody is waiting, and
// long enough not to trouble an API server that has just come back.
const (
	firstBackoff = 100 * time.Millisecond
	MaxBackoff   = 2 * time.Second
)

// Backoff is a row of failures of a feed.
type Backoff struct {
	// Pause is the last, without what the server asked for.
	Pause time.Duration
	// Since is when the row began.
	Since time.Time
	// retryAfter is for how long the server asked to be left alone, in its last answer.
	retryAfter time.Duration
}

// Next is the pause before the next try, no shorter than the server asked for; and not the same for all who failed at
// the same time.
func (s *Backoff) Next() time.Duration {
	if s.Since.IsZero() {
		s.Since = time.Now()
	}
	if s.Pause = min(2*s.Pause, MaxBackoff); s.Pause == 0 {
		s.Pause = firstBackoff
	}
	pause := max(s.Pause, s.retryAfter)
	return pause + rand.N(pause/4) //nolint:gosec // it only spreads requests
}

// InGrace tells whether nobody need be told yet: the server is busy or away, as one that is restarted is, and it has
// not lasted. Who knows nothing yet is told at once, unless the server has said when to come again.
func (s *Backoff) InGrace(err error, pause time.Duration, known bool) bool {
	mild := known && !IsPermanent(err) || isBusy(err) && s.retryAfter > 0
	return mild && time.Since(s.Since)+pause < outageGrace
}

// Reset ends the row.
func (s *Backoff) Reset() { *s = Backoff{} }

// isBusy tells whether the server has answered that it cannot answer now.
func isBusy(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}

// SameFailure tells whether two errors are the same to who waits: a server that is away refuses, resets, answers 503
// and 429, and is back.
func SameFailure(a, b error) bool {
	if a == nil || b == nil {
		return false
	}
	if IsPermanent(a) || IsPermanent(b) {
		return a.Error() == b.Error()
	}
	return true
}

// IsPermanent tells whether an error is about what was asked, rather than about the server's being away or busy.
func IsPermanent(err error) bool { return !isBusy(err) && (IsKindMissing(err) || !IsUnanswered(err)) }

// noClientRetryError keeps client-go from trying again by itself what a feed tries again: it does so ten times, a
// second apart, and tells nobody.
type noClientRetryError struct{ err error }

// Error implements error.
func (e *noClientRetryError) Error() string { return e.err.Error() }

// UnwrapNoRetry is the error of a feed's request as it would be without that.
func UnwrapNoRetry(err error) error {
	var hidden *noClientRetryError
	if !errors.As(err, &hidden) {
		return err
	}
	if asked := (*url.Error)(nil); errors.As(err, &asked) {
		return &url.Error{Op: asked.Op, URL: asked.URL, Err: hidden.err}
	}
	return hidden.err
}

// retryAfter is for how long an answer asks to be left alone, 0 if it does not. API servers say it in seconds.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || resp.StatusCode != http.StatusTooManyRequests &&
		resp.StatusCode < http.StatusInternalServerError {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
