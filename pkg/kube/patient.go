package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// readTime is how long a read, or the beginning of a watch, may go without its answer. The largest lists take seconds.
	readTime = 30 * time.Second
	// writeTime is the same for a write: longer than the 60 s after which the API server itself gives up (--request-timeout).
	writeTime = 65 * time.Second
	// awayTime is how long a read waits for an API server that has answered before and is away.
	awayTime = 2 * time.Minute
	// failures is how often a read may be answered with a failure of the server's before the caller learns of it.
	failures = 5
	// The pauses between tries grow from patientFirst to patientMost.
	patientFirst = 200 * time.Millisecond
	patientMost  = 2 * time.Second
)

// patient stands between hcctl and the network. It gives each request a time limit, asks again with renewed credentials, and asks again
// where asking changes nothing: reads and dry runs. Steps that wait tell what they wait for and are tried again by the engine; what is
// done before and after them would end at the first hiccup without it.
type patient struct {
	next http.RoundTripper
	// away is told once each time the server is found to be away.
	away func(error)
	// read, write and most are readTime, writeTime and awayTime.
	read, write, most time.Duration
	answered, told    atomic.Bool
	slowSince         atomic.Pointer[slowness]
	// refused is why the server and hcctl do not trust each other any more, nil while they do.
	refused atomic.Pointer[error]
}

// Option changes a Client.
type Option func(*patient)

// OnAway has tell called when a read finds that the API server, which has answered before, does not; once until it answers again. The read
// goes on trying for 2 minutes. It is also called, once as well, when the server has asked for five seconds to come again later (429, Retry-After).
func OnAway(tell func(error)) Option { return func(p *patient) { p.away = tell } }

// patiently is client with patience, a copy.
func patiently(client *http.Client, options []Option) (*http.Client, *patient) {
	p := &patient{next: client.Transport, away: func(error) {}, read: readTime, write: writeTime, most: awayTime}
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
func (p *patient) WrappedRoundTripper() http.RoundTripper { return p.next }

// RoundTrip implements http.RoundTripper.
func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	if !harmless(r) || rowOf(r) != nil {
		return p.authorized(r)
	}
	pause, until := patientFirst, time.Now().Add(p.most)
	for try := 1; ; try++ {
		resp, err := p.authorized(r)
		switch {
		case r.Context().Err() != nil:
			return resp, err
		case err != nil:
			if !p.answered.Load() || !isAway(err) || !time.Now().Add(pause).Before(until) {
				return nil, err
			}
			if !p.told.Swap(true) {
				p.away(err)
			}
		case try == failures || !failed(r, resp):
			return resp, nil
		default:
			_ = resp.Body.Close()
		}
		sleep(r.Context(), pause)
		pause = min(2*pause, patientMost)
		if r, err = again(r); err != nil {
			return nil, err
		}
	}
}

// Refused is why every request fails, whatever it is about: the API server does not accept the credentials, or its certificate is not trusted.
// It is nil while the latest answer says otherwise.
func (c *Client) Refused() error {
	if err := c.patient.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// authorized keeps in mind whether the server and hcctl trust each other.
func (p *patient) authorized(r *http.Request) (*http.Response, error) {
	resp, err := p.renewed(r)
	switch {
	case err == nil && resp.StatusCode == http.StatusUnauthorized:
		refused := error(apierrors.NewUnauthorized("Unauthorized"))
		p.refused.Store(&refused)
	case err == nil:
		p.refused.Store(nil)
	case IsUntrusted(err):
		p.refused.Store(&err)
	}
	return resp, err
}

// renewed asks once more where the credentials were refused: client-go has thrown away a token that comes from a command or a file,
// and has another.
func (p *patient) renewed(r *http.Request) (*http.Response, error) {
	resp, err := p.ask(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	second, err := again(r)
	if err != nil {
		return resp, nil //nolint:nilerr // the refusal is what there is to tell
	}
	_ = resp.Body.Close()
	return p.ask(second)
}

// ask makes the request within its time.
func (p *patient) ask(r *http.Request) (*http.Response, error) {
	limit := p.write
	if r.Method == http.MethodGet {
		limit = p.read
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(limit, func() { cancel(&silentError{limit}) })
	resp, err := p.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		timer.Stop()
		err = causeOf(ctx, err)
		cancel(nil)
		if row := rowOf(r); row != nil {
			row.asked, err = 0, &unanswered{err}
		}
		return nil, err
	}
	p.answered.Store(true)
	p.told.Store(false)
	p.slow(r, resp)
	if streams(r) {
		timer.Stop()
	}
	resp.Body = &limitedBody{resp.Body, ctx, timer, cancel}
	return resp, nil
}

// harmless tells whether a request may be made twice.
func harmless(r *http.Request) bool {
	query := r.URL.Query()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return !query.Has("watch")
	}
	return query.Get("dryRun") == "All" && (r.Body == nil || r.GetBody != nil)
}

// failed tells whether the server could not answer now. An answer that says when to come again is left to client-go, and a dry run's 500 is
// mostly a webhook's, of which the caller should hear.
func failed(r *http.Request, resp *http.Response) bool {
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

// streams tells whether an answer may take as long as it likes once it has begun.
func streams(r *http.Request) bool {
	return r.URL.Query().Has("watch") || strings.HasSuffix(r.URL.Path, "/log")
}

// again is the request once more.
func again(r *http.Request) (*http.Request, error) {
	out := r.Clone(r.Context())
	if r.GetBody == nil {
		return out, nil
	}
	body, err := r.GetBody()
	out.Body = body
	return out, err
}

// selfReliant marks the context of requests that are tried again by who makes them, with his *setback: it learns what the server asks for.
type selfReliant struct{}

func rowOf(r *http.Request) *setback {
	row, _ := r.Context().Value(selfReliant{}).(*setback)
	return row
}

// slow hands what the server asks for to who tries again by himself. For all others client-go waits, up to ten times: if that lasts, it is told, once until the
// server has answered something.
func (p *patient) slow(r *http.Request, resp *http.Response) {
	wait := retryAfter(resp)
	if row := rowOf(r); row != nil {
		row.asked = wait
		resp.Header.Del("Retry-After")
		return
	}
	if wait == 0 {
		p.slowSince.Store(nil)
		return
	}
	now := time.Now()
	p.slowSince.CompareAndSwap(nil, &slowness{since: now})
	if s := p.slowSince.Load(); s != nil && now.Sub(s.since)+wait >= troubleGrace && !s.told.Swap(true) {
		p.away(apierrors.NewTooManyRequests("", int(wait.Seconds())))
	}
}

// slowness is a time in which the server has only asked to come again.
type slowness struct {
	since time.Time
	told  atomic.Bool
}

// silentError is a time limit that has passed. It is a net.Error that says Timeout.
type silentError struct{ after time.Duration }

// Error implements error.
func (e *silentError) Error() string {
	return fmt.Sprintf("no answer within %s", e.after)
}

// Timeout implements net.Error.
func (*silentError) Timeout() bool { return true }

// Temporary implements net.Error.
func (*silentError) Temporary() bool { return true }

// causeOf is the time limit, where that is behind an error.
func causeOf(ctx context.Context, err error) error {
	if silent, ok := context.Cause(ctx).(*silentError); ok { //nolint:errorlint // it is never wrapped
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
		err = causeOf(b.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.inner.Close()
}
