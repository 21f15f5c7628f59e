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

// outageGrace is the time in which an API server may throttle, fail or be unreachable before it is reported. Busy
// servers throttle often, and a restart takes less.
const outageGrace = 5 * time.Second

// The pauses after a failed list or watch double from firstBackoff to MaxBackoff.
const (
	firstBackoff = 100 * time.Millisecond
	MaxBackoff   = 2 * time.Second
)

// Backoff tracks consecutive failures of one reflector.
type Backoff struct {
	// Pause is the last pause, without the server's Retry-After.
	Pause time.Duration
	// Since is the time of the first failure.
	Since time.Time
	// retryAfter is the Retry-After of the server's last answer.
	retryAfter time.Duration
}

// Next returns the pause before the next attempt with jitter, at least the server's Retry-After.
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

// InGrace reports whether a failure need not be reported yet: the server is busy or unreachable for less than
// outageGrace. Without known data a failure is reported at once, unless the server sent a Retry-After.
func (s *Backoff) InGrace(err error, pause time.Duration, known bool) bool {
	mild := known && !IsPermanent(err) || isBusy(err) && s.retryAfter > 0
	return mild && time.Since(s.Since)+pause < outageGrace
}

// Reset ends the series.
func (s *Backoff) Reset() { *s = Backoff{} }

// isBusy reports whether the server answered 429 or 5xx.
func isBusy(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}

// SameFailure reports whether two errors are the same for a waiting step. A server that restarts refuses connections,
// resets them, and answers 503 and 429 in turn.
func SameFailure(a, b error) bool {
	if a == nil || b == nil {
		return false
	}
	if IsPermanent(a) || IsPermanent(b) {
		return a.Error() == b.Error()
	}
	return true
}

// IsPermanent reports whether an error is caused by the request, and not by a busy or unreachable server.
func IsPermanent(err error) bool { return !isBusy(err) && (IsKindMissing(err) || !IsUnanswered(err)) }

// noClientRetryError hides an error from client-go, which would retry up to ten times without a report. The reflector
// does its own retries.
type noClientRetryError struct{ err error }

// Error implements error.
func (e *noClientRetryError) Error() string { return e.err.Error() }

// UnwrapNoRetry returns the hidden error.
func UnwrapNoRetry(err error) error {
	var hidden *noClientRetryError
	if !errors.As(err, &hidden) {
		return err
	}
	if urlErr := (*url.Error)(nil); errors.As(err, &urlErr) {
		return &url.Error{Op: urlErr.Op, URL: urlErr.URL, Err: hidden.err}
	}
	return hidden.err
}

// retryAfter returns the Retry-After of an answer, 0 if it has none. API servers send seconds.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || resp.StatusCode != http.StatusTooManyRequests &&
		resp.StatusCode < http.StatusInternalServerError {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
