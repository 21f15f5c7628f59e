package transport

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// Way says by which way the API servers of hosted clusters are reached. The empty Way is Auto.
type Way string

// The ways, as users name them.
const (
	// Auto takes the address of the server, and the detour where nothing answers there.
	Auto Way = "auto"
	// Always takes the detour, Never the address.
	Always Way = "always"
	Never  Way = "never"
)

// Guests sets by which way the API servers of the hosted clusters of this management cluster are reached.
func Guests(way Way) Option { return func(p *Retry) { p.guests = way } }

const (
	// connectTimeout bounds the connecting to an address before the detour is taken.
	connectTimeout = 2 * time.Second
	// detourTimeout bounds the connecting by the detour.
	detourTimeout = 10 * time.Second
	// detourPeriod is the time after which an address that did not answer is tried again.
	detourPeriod = time.Minute
)

// Detour is a second way to a server, for requests that get no connection on the first. It remembers for all clients of
// the server which way answers.
type Detour struct {
	always bool

	mu sync.Mutex
	// taken is whether the last connection went by the detour, why the error of the first way, which is not tried again
	// until then; and refused that of a detour that a permission is missing for, which is not tried again either.
	taken               bool
	until, refusedUntil time.Time
	why, refused        error
}

// DetourTo is the detour to the API server of a hosted cluster of this management cluster; nil if none may be taken.
func (p *Retry) DetourTo(hosted string) *Detour {
	if p.guests == Never {
		return nil
	}
	one, _ := p.detours.LoadOrStore(hosted, &Detour{always: p.guests == Always})
	return one.(*Detour) //nolint:forcetypeassert // nothing else is stored
}

// Taken reports whether requests go by the detour now, and why the first way was left; nil if it was not tried. A nil
// Detour is never taken.
func (d *Detour) Taken() (bool, error) {
	if d == nil {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken, d.why
}

// DetourError is the error of a request that got no connection on either way. It is that of the first way, and Detour
// that of the second.
type DetourError struct {
	error
	Detour error
}

// Unwrap returns the error of the first way.
func (e *DetourError) Unwrap() error { return e.error }

// Over adds the detour to a configuration. dial connects to a server with the same certificate: no credentials are sent
// before it has shown one of the CA and the name in cfg. Later wrappers see the requests of both ways.
func (d *Detour) Over(cfg *rest.Config, dial func(context.Context) (net.Conn, error)) error {
	if d == nil {
		return nil
	}
	settings, err := rest.TLSConfigFor(cfg)
	if err != nil {
		return err
	}
	second := utilnet.SetTransportDefaults(&http.Transport{
		TLSClientConfig: settings, TLSHandshakeTimeout: detourTimeout, MaxResponseHeaderBytes: maxHeaderBytes,
		Proxy:       func(*http.Request) (*url.URL, error) { return nil, nil }, //nolint:nilnil // no proxy
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(valueless{ctx}) },
	})
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &detourTrip{d, next, second} })
	return nil
}

// valueless hides the values of a context, so that the requests of a dial are not traced as that of the caller.
type valueless struct {
	context.Context //nolint:containedctx // it is one
}

// Value implements context.Context.
func (valueless) Value(any) any { return nil }

type detourTrip struct {
	detour *Detour
	next   http.RoundTripper
	second *http.Transport
}

// WrappedRoundTripper lets client-go find the transport of the first way.
func (t *detourTrip) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements http.RoundTripper.
func (t *detourTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	d, address := t.detour, Host(r.URL.String())
	if d.goes() {
		resp, connected, err := try(t.second, r, detourTimeout)
		if connected || d.always || !mayTryAgain(r) {
			return resp, err
		}
		// What is at its end is gone: the first way once more, and then something else at the end of this one.
		if r, err = cloneRequest(r); err != nil {
			return nil, err
		}
	}
	resp, connected, err := try(t.next, r, connectTimeout)
	if connected {
		d.note(false, nil)
		return resp, err
	}
	if IsUntrusted(err) && !IsProxy(err) || !mayTryAgain(r) {
		return nil, err
	}
	second, connected, failed := (*http.Response)(nil), false, d.refusal()
	if failed == nil {
		if r, failed = cloneRequest(r); failed == nil {
			second, connected, failed = try(t.second, r, detourTimeout)
		}
		d.refuse(failed)
	}
	d.note(connected, &url.Error{Op: "Get", URL: address, Err: err})
	if connected {
		return second, failed
	}
	return nil, &DetourError{err, failed}
}

// mayTryAgain reports whether a request that got no connection can be sent on another.
func mayTryAgain(r *http.Request) bool {
	return r.Context().Err() == nil && (r.Body == nil || r.Body == http.NoBody || r.GetBody != nil)
}

// refusal is the error of a detour that a permission was missing for a short time ago.
func (d *Detour) refusal() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Now().After(d.refusedUntil) {
		return nil
	}
	return d.refused
}

// goes reports whether requests take the detour at once.
func (d *Detour) goes() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken = d.taken || d.always
	return d.always || d.taken && time.Now().Before(d.until)
}

// note remembers by which way requests go.
func (d *Detour) note(taken bool, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken, d.why, d.until = taken, why, time.Now().Add(detourPeriod)
}

// refuse remembers for a time that a permission is missing.
func (d *Detour) refuse(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused, d.refusedUntil = nil, time.Now().Add(detourPeriod)
	if apierrors.IsForbidden(err) {
		d.refused = err
	}
}

// try sends a request, and reports whether it got a connection within the limit.
func try(by http.RoundTripper, r *http.Request, limit time.Duration) (*http.Response, bool, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(limit, func() { cancel(&timeoutError{limit}) })
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		connected.Store(true)
		timer.Stop()
	}}
	resp, err := by.RoundTrip(r.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		timer.Stop()
		err = timeoutCause(ctx, err)
		cancel(nil)
		return nil, connected.Load(), err
	}
	resp.Body = &limitedBody{resp.Body, ctx, timer, cancel}
	return resp, true, nil
}
