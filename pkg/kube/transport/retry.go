package transport

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// readTimeout limits a read, or the start of a watch. The largest lists take seconds.
	readTimeout = 30 * time.Second
	// writeTimeout limits a write. It exceeds the API server's own limit of 60 s (--request-timeout).
	writeTimeout = 65 * time.Second
	// outageTimeout is the maximum time that a read waits for an unreachable API server.
	outageTimeout = 2 * time.Minute
	// maxTries is the maximum number of attempts of a read while the server answers with a failure.
	maxTries = 5
	// maxFirstTries is the maximum for a server that has never answered and drops the connection.
	maxFirstTries = 3
	// maxRetryAfter is the maximum Retry-After that is respected. API servers send a few seconds.
	maxRetryAfter = time.Minute
	// The pauses between retries double from firstRetryPause to maxRetryPause.
	firstRetryPause = 200 * time.Millisecond
	maxRetryPause   = 2 * time.Second
)

// Retry is the RoundTripper that limits the duration of each request, retries reads and dry runs, and retries once with
// new credentials after a 401.
//
// The engine retries the writes of steps itself. Requests before and after the steps depend on this retry.
type Retry struct {
	next   http.RoundTripper
	outage outage
	// readTimeout, writeTimeout and outageTimeout have the values of the constants; tests set less.
	readTimeout, writeTimeout, outageTimeout time.Duration
	slowSince                                atomic.Pointer[slowPeriod]
	// slowReported is the time of the last report of a slow server, nil before the first.
	slowReported atomic.Pointer[time.Time]
	// authError is the last authentication error, nil after a successful request.
	authError atomic.Pointer[error]
	limiter   limiter
	// Limits are the maximum sizes of answers. server names the server in errors; empty means its URL.
	Limits Limits
	server string
	// guests is the route to the hosted clusters of this management cluster; detours has a *Detour for each.
	guests  Way
	detours sync.Map
}

// WithRetries returns a copy of client that retries.
func WithRetries(client *http.Client, options []Option) (*http.Client, *Retry) {
	p := &Retry{next: client.Transport, readTimeout: readTimeout, writeTimeout: writeTimeout, outageTimeout: outageTimeout,
		limiter: newLimiter()}
	p.Limits = ManagementLimits()
	if p.next == nil {
		p.next = http.DefaultTransport
	}
	for _, o := range options {
		o(p)
	}
	out := *client
	out.Transport = p
	return &out, p
}

// WrappedRoundTripper returns the inner transport, for client-go.
func (p *Retry) WrappedRoundTripper() http.RoundTripper { return p.next }

// RoundTrip implements http.RoundTripper. It buffers the whole answer of retryable requests.
func (p *Retry) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isRetryable(r) || backoffOf(r) != nil {
		return p.roundTrip(r)
	}
	pause, until := firstRetryPause, time.Now().Add(p.outageTimeout)
	release := func() {}
	for try := 1; ; try++ {
		resp, err := p.roundTrip(r)
		if err == nil {
			err = bufferBody(r, resp)
		}
		release()
		switch {
		case err != nil:
			if r.Context().Err() != nil || !p.mayRetry(err, try) || !time.Now().Add(pause).Before(until) {
				return nil, err
			}
		case r.Context().Err() != nil, try == maxTries || !isServerFailure(r, resp):
			return resp, nil //nolint:nilerr // a canceled request returns the answer that it has
		default:
			_ = resp.Body.Close()
		}
		Sleep(r.Context(), pause)
		pause = min(2*pause, maxRetryPause)
		if r, err = cloneRequest(r); err != nil {
			return nil, err
		}
		release = p.limiter.acquire(r.Context())
	}
}

// mayRetry reports whether a request without an answer may succeed later: the server has answered before, or it
// accepted the connection and dropped it.
func (p *Retry) mayRetry(err error, try int) bool {
	return IsUnanswered(err) && (p.outage.everAnswered() || isBroken(err) && try < maxFirstTries)
}

// AuthError returns why the last request was not authenticated, nil after a successful request.
func (p *Retry) AuthError() error {
	if err := p.authError.Load(); err != nil {
		return *err
	}
	return nil
}

// roundTrip sends the request and records authentication errors.
func (p *Retry) roundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.withNewCredentials(r)
	switch {
	case err == nil && resp.StatusCode == http.StatusUnauthorized:
		refused := error(apierrors.NewUnauthorized("Unauthorized"))
		p.authError.Store(&refused)
	case err == nil:
		p.authError.Store(nil)
	case IsUntrusted(err):
		p.authError.Store(&err)
	}
	return resp, err
}

// withNewCredentials retries a request once after a 401. client-go has discarded the token of the plugin or file by
// then and gets a new one.
func (p *Retry) withNewCredentials(r *http.Request) (*http.Response, error) {
	resp, err := p.send(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	second, err := cloneRequest(r)
	if err != nil {
		return resp, nil //nolint:nilerr // the 401 is the answer
	}
	_ = resp.Body.Close()
	return p.send(second)
}

// send sends the request within its time limit.
func (p *Retry) send(r *http.Request) (*http.Response, error) {
	limit := p.writeTimeout
	if r.Method == http.MethodGet {
		limit = p.readTimeout
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	began := time.Now()
	timer := time.AfterFunc(limit, func() { cancel(&timeoutError{limit}) })
	resp, err := p.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		timer.Stop()
		err = asCredentialsError(timeoutCause(ctx, err))
		cancel(nil)
		err = p.outage.failed(r.Context(), began, err)
		if backoff := backoffOf(r); backoff != nil {
			backoff.retryAfter, err = 0, &noClientRetryError{err}
		}
		return nil, err
	}
	p.outage.answered()
	p.handleRetryAfter(r, resp)
	if isStream(r) {
		timer.Stop()
	}
	limited := &limitedBody{resp.Body, ctx, timer, cancel}
	if resp.Body, err = p.boundBody(r, resp, limited); err != nil {
		_ = limited.Close()
		return nil, err
	}
	return resp, nil
}

// isRetryable reports whether a request may be sent twice: reads, dry runs and access reviews.
func isRetryable(r *http.Request) bool {
	query := r.URL.Query()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return !query.Has("watch")
	}
	question := query.Get("dryRun") == "All" || r.Method == http.MethodPost &&
		strings.HasPrefix(r.URL.Path, "/apis/"+Reviews+"/")
	return question && (r.Body == nil || r.GetBody != nil)
}

// unbufferedKey is the context key of reads that the caller decodes and retries itself.
type unbufferedKey struct{}

// bufferBody reads the answer to its end, so that an interrupted one is retried. It does not read streams.
func bufferBody(r *http.Request, resp *http.Response) error {
	if isStream(r) || r.Context().Value(unbufferedKey{}) != nil {
		return nil
	}
	kept, err := buffer(resp.Body)
	_ = resp.Body.Close()
	var timeout *timeoutError
	switch {
	case errors.As(err, &timeout), IsTooLarge(err):
		return err
	case err != nil:
		return &brokenError{err}
	}
	resp.Body = kept
	return nil
}

// isServerFailure reports whether the server could not answer now. client-go handles Retry-After, and a 500 for a dry
// run is usually a webhook's error, which the caller needs.
func isServerFailure(r *http.Request, resp *http.Response) bool {
	if resp.Header.Get("Retry-After") != "" {
		return false
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusInternalServerError:
		return r.Method == http.MethodGet
	}
	return false
}

// isStream reports whether an answer has no time limit after it has started.
func isStream(r *http.Request) bool {
	return r.URL.Query().Has("watch") || isLog(r.URL.Path)
}

// cloneRequest returns a copy of the request for another attempt.
func cloneRequest(r *http.Request) (*http.Request, error) {
	out := r.Clone(r.Context())
	if r.GetBody == nil {
		return out, nil
	}
	body, err := r.GetBody()
	out.Body = body
	return out, err
}

// brokenError is the error of an interrupted answer.
type brokenError struct{ error }

// Unwrap returns the network error.
func (e *brokenError) Unwrap() error { return e.error }
