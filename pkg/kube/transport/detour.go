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

// Way selects the route to the API servers of hosted clusters. The empty Way is Auto.
type Way string

// The ways, as values for users.
const (
	// Auto uses the server's address, and the detour if the address does not answer.
	Auto Way = "auto"
	// Always uses the detour, Never the address.
	Always Way = "always"
	Never  Way = "never"
)

// Guests sets the route to the API servers of the hosted clusters of this management cluster.
func Guests(way Way) Option { return func(p *Retry) { p.guests = way } }

const (
	// connectTimeout is the maximum time to connect to the address before the detour is used.
	connectTimeout = 2 * time.Second
	// detourTimeout is the maximum time to connect through the detour.
	detourTimeout = 10 * time.Second
	// detourPeriod is the time after which an address that did not answer is tried again.
	detourPeriod = time.Minute
)

// Detour is a second route to a server, for requests that get no connection on the first. All clients of the server
// share the knowledge which route works.
type Detour struct {
	always bool

	mu sync.Mutex
	// taken is set if the last connection used the detour. why is the error of the first route, which is not tried again
	// before until. refused is a missing permission for the detour, which is not tried again before refusedUntil.
	taken               bool
	until, refusedUntil time.Time
	why, refused        error
}

// DetourTo returns the detour to the API server of a hosted cluster of this management cluster; nil if Guests is Never.
func (p *Retry) DetourTo(hosted string) *Detour {
	if p.guests == Never {
		return nil
	}
	one, _ := p.detours.LoadOrStore(hosted, &Detour{always: p.guests == Always})
	return one.(*Detour) //nolint:forcetypeassert // nothing else is stored
}

// Taken reports whether requests use the detour now, and the error of the first route; nil if it was not tried. A nil
// Detour is never taken.
func (d *Detour) Taken() (bool, error) {
	if d == nil {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken, d.why
}

// DetourError is the error of a request that got no connection on either route. It wraps the error of the first route;
// Detour is that of the second.
type DetourError struct {
	error
	Detour error
}

// Unwrap returns the error of the first route.
func (e *DetourError) Unwrap() error { return e.error }

// Over adds the detour to a configuration. dial connects to a server with the same certificate: no credentials are sent
// before TLS has verified it against the CA and name in cfg. Wrappers that are added later see the requests of both
// routes.
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
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(withoutValues{ctx}) },
	})
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &detourTrip{d, next, second} })
	return nil
}

// withoutValues hides the values of a context, so that the caller's httptrace does not trace the requests of a dial.
type withoutValues struct {
	context.Context //nolint:containedctx // it is one
}

// Value implements context.Context.
func (withoutValues) Value(any) any { return nil }

type detourTrip struct {
	detour *Detour
	next   http.RoundTripper
	second *http.Transport
}

// WrappedRoundTripper returns the transport of the first route, for client-go.
func (t *detourTrip) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements http.RoundTripper.
func (t *detourTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	d, address := t.detour, Host(r.URL.String())
	if d.preferred() {
		resp, connected, err := try(t.second, r, detourTimeout)
		if connected || d.always || !mayTryAgain(r) {
			return resp, err
		}
		// The detour's target is gone: try the first route once more, and then the detour to another target.
		if r, err = cloneRequest(r); err != nil {
			return nil, err
		}
	}
	resp, connected, err := try(t.next, r, connectTimeout)
	if connected {
		d.remember(false, nil)
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
	d.remember(connected, &url.Error{Op: "Get", URL: address, Err: err})
	if connected {
		return second, failed
	}
	return nil, &DetourError{err, failed}
}

// mayTryAgain reports whether a request that got no connection can be sent on another one.
func mayTryAgain(r *http.Request) bool {
	return r.Context().Err() == nil && (r.Body == nil || r.Body == http.NoBody || r.GetBody != nil)
}

// refusal returns the error of a detour that was forbidden within detourPeriod, else nil.
func (d *Detour) refusal() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Now().After(d.refusedUntil) {
		return nil
	}
	return d.refused
}

// preferred reports whether requests use the detour without trying the first route.
func (d *Detour) preferred() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken = d.taken || d.always
	return d.always || d.taken && time.Now().Before(d.until)
}

// remember stores which route the last request used.
func (d *Detour) remember(taken bool, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken, d.why, d.until = taken, why, time.Now().Add(detourPeriod)
}

// refuse stores a missing permission for detourPeriod.
func (d *Detour) refuse(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused, d.refusedUntil = nil, time.Now().Add(detourPeriod)
	if apierrors.IsForbidden(err) {
		d.refused = err
	}
}

// try sends a request, and reports whether it got a connection within limit.
func try(via http.RoundTripper, r *http.Request, limit time.Duration) (*http.Response, bool, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(limit, func() { cancel(&timeoutError{limit}) })
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		connected.Store(true)
		timer.Stop()
	}}
	resp, err := via.RoundTrip(r.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		timer.Stop()
		err = timeoutCause(ctx, err)
		cancel(nil)
		return nil, connected.Load(), err
	}
	resp.Body = &limitedBody{resp.Body, ctx, timer, cancel}
	return resp, true, nil
}
