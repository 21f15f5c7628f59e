package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// readTimeout is how long a read, or the beginning of a watch, may go without its answer. The largest lists take
	// seconds.
	readTimeout = 30 * time.Second
	// writeTimeout is the same for a write: longer than the 60 s after which the API server itself gives up
	// (--request-timeout).
	writeTimeout = 65 * time.Second
	// outageTimeout is how long a read waits for an API server that has answered before and is away.
	outageTimeout = 2 * time.Minute
	// maxTries is how often a read may be answered with a failure of the server's before the caller learns of it.
	maxTries = 5
	// maxFirstTries is how often a server that has never answered may cut the connection before that.
	maxFirstTries = 3
	// maxRetryAfter is the longest Retry-After that is heeded. API servers say a few seconds.
	maxRetryAfter = time.Minute
	// The pauses between tries grow from firstRetryPause to maxRetryPause.
	firstRetryPause = 200 * time.Millisecond
	maxRetryPause   = 2 * time.Second
)

// Retry stands between hcctl and the network. It gives each request a time limit, asks again with renewed credentials,
// and asks again where asking changes nothing: reads and dry runs. Steps that wait tell what they wait for and are
// tried again by the engine; what is done before and after them would end at the first hiccup without it.
type Retry struct {
	next http.RoundTripper
	// outage knows whether the server is away.
	outage outage
	// read, write and most are readTimeout, writeTimeout and outageTimeout.
	readTimeout, writeTimeout, outageTimeout time.Duration
	slowSince                                atomic.Pointer[slowPeriod]
	// slowReported is when it was last to be told that the server is slow; nil while it was not.
	slowReported atomic.Pointer[time.Time]
	// authError is why the server and hcctl do not trust each other any more, nil while they do.
	authError atomic.Pointer[error]
	// limiter are of those who ask again.
	limiter limiter
	// Limits are the most that may be answered, and server says whose they are in an error; empty for its URL.
	Limits Limits
	server string
}

// WithRetries is client with patience, a copy.
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

// WrappedRoundTripper lets client-go find what is below.
func (p *Retry) WrappedRoundTripper() http.RoundTripper { return p.next }

// RoundTrip implements http.RoundTripper. What changes nothing is answered in whole, or not at all.
func (p *Retry) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isRetryable(r) || backoffOf(r) != nil {
		return p.roundTrip(r)
	}
	pause, until := firstRetryPause, time.Now().Add(p.outageTimeout)
	leave := func() {}
	for try := 1; ; try++ {
		resp, err := p.roundTrip(r)
		if err == nil {
			err = bufferBody(r, resp)
		}
		leave()
		switch {
		case err != nil:
			if r.Context().Err() != nil || !p.mayRetry(err, try) || !time.Now().Add(pause).Before(until) {
				return nil, err
			}
		case r.Context().Err() != nil, try == maxTries || !isServerFailure(r, resp):
			return resp, nil //nolint:nilerr // what was answered is the answer, also to who has stopped waiting
		default:
			_ = resp.Body.Close()
		}
		Sleep(r.Context(), pause)
		pause = min(2*pause, maxRetryPause)
		if r, err = cloneRequest(r); err != nil {
			return nil, err
		}
		leave = p.limiter.acquire(r.Context())
	}
}

// mayRetry tells whether a question that had no answer may have one: from a server that has answered before, or that
// took the connection and dropped it.
func (p *Retry) mayRetry(err error, try int) bool {
	return IsUnanswered(err) && (p.outage.everAnswered() || isBroken(err) && try < maxFirstTries)
}

// AuthError is why the latest request failed for want of trust; nil while the latest answer says otherwise.
func (p *Retry) AuthError() error {
	if err := p.authError.Load(); err != nil {
		return *err
	}
	return nil
}

// roundTrip keeps in mind whether the server and hcctl trust each other.
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

// withNewCredentials asks once more where the credentials were refused: client-go has thrown away a token that comes
// from a command or a file, and has another.
func (p *Retry) withNewCredentials(r *http.Request) (*http.Response, error) {
	resp, err := p.send(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	second, err := cloneRequest(r)
	if err != nil {
		return resp, nil //nolint:nilerr // the refusal is what there is to tell
	}
	_ = resp.Body.Close()
	return p.send(second)
}

// send makes the request within its time.
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
		if row := backoffOf(r); row != nil {
			row.retryAfter, err = 0, &noClientRetryError{err}
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

// isRetryable tells whether a request may be made twice.
func isRetryable(r *http.Request) bool {
	query := r.URL.Query()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return !query.Has("watch")
	}
	question := query.Get("dryRun") == "All" || r.Method == http.MethodPost &&
		strings.HasPrefix(r.URL.Path, "/apis/"+Reviews+"/")
	return question && (r.Body == nil || r.GetBody != nil)
}

// unbufferedKey marks the context of reads that are taken in as they come, and made again by who takes them.
type unbufferedKey struct{}

// bufferBody reads the answer to its end, so that one that breaks off is asked for again, unless it may take as long as
// it likes. Its error is one that the connection came to.
func bufferBody(r *http.Request, resp *http.Response) error {
	if isStream(r) || r.Context().Value(unbufferedKey{}) != nil {
		return nil
	}
	kept, err := buffer(resp.Body)
	_ = resp.Body.Close()
	var silent *timeoutError
	switch {
	case errors.As(err, &silent), IsTooLarge(err):
		return err
	case err != nil:
		return &brokenError{err}
	}
	resp.Body = kept
	return nil
}

// isServerFailure tells whether the server could not answer now. An answer that says when to come again is left to
// client-go, and a dry run's 500 is mostly a webhook's, of which the caller should hear.
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

// isStream tells whether an answer may take as long as it likes once it has begun.
func isStream(r *http.Request) bool {
	return r.URL.Query().Has("watch") || strings.HasSuffix(r.URL.Path, "/log")
}

// cloneRequest is the request once more.
func cloneRequest(r *http.Request) (*http.Request, error) {
	out := r.Clone(r.Context())
	if r.GetBody == nil {
		return out, nil
	}
	body, err := r.GetBody()
	out.Body = body
	return out, err
}

// backoffKey marks the context of requests that are tried again by who makes them, with his *setback: it learns what
// the server asks for.
type backoffKey struct{}

// WithBackoff marks requests that are tried again by who makes them, by that backoff.
func WithBackoff(ctx context.Context, row *Backoff) context.Context {
	return context.WithValue(ctx, backoffKey{}, row)
}

func backoffOf(r *http.Request) *Backoff {
	row, _ := r.Context().Value(backoffKey{}).(*Backoff)
	return row
}

// handleRetryAfter hands what the server asks for to who tries again by himself. For all others client-go waits, up to
// ten times: if that lasts, it is told, once until the server has answered something.
func (p *Retry) handleRetryAfter(r *http.Request, resp *http.Response) {
	wait := retryAfter(resp)
	if wait > maxRetryAfter {
		// client-go would sleep for as long as any server says.
		wait = 0
		resp.Header.Del("Retry-After")
	}
	if row := backoffOf(r); row != nil {
		row.retryAfter = wait
		resp.Header.Del("Retry-After")
		return
	}
	if wait == 0 {
		p.slowSince.Store(nil)
		return
	}
	now := time.Now()
	p.slowSince.CompareAndSwap(nil, &slowPeriod{since: now})
	if s := p.slowSince.Load(); s != nil && now.Sub(s.since)+wait >= outageGrace && p.outage.away != nil &&
		!s.reported.Swap(true) && p.shouldReportSlow(now) {
		p.outage.away(apierrors.NewTooManyRequests("", int(wait.Seconds())))
	}
}

// shouldReportSlow tells whether it is long since it was to be told that the server is slow. One that answers some and
// not others, as one does that has just been started, is told once.
func (p *Retry) shouldReportSlow(now time.Time) bool {
	last := p.slowReported.Swap(&now)
	return last == nil || now.Sub(*last) > calmPeriod
}

// slowPeriod is a time in which the server has only asked to come again.
type slowPeriod struct {
	since    time.Time
	reported atomic.Bool
}

// brokenError is an answer that broke off.
type brokenError struct{ error }

// Unwrap gives the network's own error.
func (e *brokenError) Unwrap() error { return e.error }

// timeoutError is a time limit that has passed. It is a net.Error that says Timeout.
type timeoutError struct{ after time.Duration }

// Error implements error.
func (e *timeoutError) Error() string {
	return fmt.Sprintf("no answer within %s", e.after)
}

// Timeout implements net.Error.
func (*timeoutError) Timeout() bool { return true }

// Temporary implements net.Error.
func (*timeoutError) Temporary() bool { return true }

// timeoutCause is the time limit, where that is behind an error.
func timeoutCause(ctx context.Context, err error) error {
	if silent, ok := context.Cause(ctx).(*timeoutError); ok { //nolint:errorlint // it is never wrapped
		return silent
	}
	return err
}

// limitedBody is an answer's body that is under the time limit too.
type limitedBody struct {
	inner  io.ReadCloser
	ctx    context.Context //nolint:containedctx // the request's, whose end the body tells
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if err != nil {
		err = timeoutCause(b.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.inner.Close()
}
