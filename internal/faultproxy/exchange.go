package faultproxy

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Request is a log entry. It has no headers and bodies, which may be secret.
type Request struct {
	// N counts requests from 1.
	N int
	// Method and URI (path and query) are those of the client.
	Method, URI string
	// Agent is the client's User-Agent.
	Agent string
	// At is the time when the request arrived.
	At time.Time
	// Fault is the planned fault, "" for none.
	Fault string
	// Met is set if the fault happened. A short answer may end before the place of the cut.
	Met bool
	// Status is the status of the answer, 0 without one.
	Status int
}

// Requests returns the log of all requests in their order.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// exchange is one request in progress.
type exchange struct {
	proxy *Proxy
	n     int
	w     http.ResponseWriter
	r     *http.Request
	fault Fault
	after Hook
}

type exchangeKey struct{}

func exchangeOf(r *http.Request) *exchange { return r.Context().Value(exchangeKey{}).(*exchange) }

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	e, plan, before, known := p.begin(w, r)
	if !known {
		e.fault = Refuse(http.StatusUnauthorized, string(metav1.StatusReasonUnauthorized), "Unauthorized", 0)
	} else if plan != nil {
		e.fault = plan(e.n, r)
	}
	e.entry(func(r *Request) { r.Fault, r.Met = e.fault.String(), e.fault.instead != nil })
	if before != nil {
		before(e.n, r)
	}
	if !wait(r.Context(), e.fault.pause) {
		panic(http.ErrAbortHandler)
	}
	if e.fault.pause > 0 {
		e.met()
	}
	if e.fault.instead != nil {
		e.fault.instead(e)
		return
	}
	p.forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, e)))
}

// begin logs a request. known is set if its token is accepted.
func (p *Proxy) begin(w http.ResponseWriter, r *http.Request) (e *exchange, plan Plan, before Hook, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.requests) + 1
	p.requests = append(p.requests, Request{N: n, Method: r.Method, URI: r.URL.RequestURI(), Agent: r.UserAgent(),
		At: time.Now()})
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return &exchange{proxy: p, n: n, w: w, r: r, after: p.after}, p.plan, p.before, bearer && p.tokens[token]
}

// entry changes the request's log entry.
func (e *exchange) entry(change func(*Request)) {
	e.proxy.mu.Lock()
	defer e.proxy.mu.Unlock()
	change(&e.proxy.requests[e.n-1])
}

// met records that the fault happened.
func (e *exchange) met() { e.entry(func(r *Request) { r.Met = true }) }

// answered records the server's answer.
func (e *exchange) answered(status int) {
	e.entry(func(r *Request) { r.Status = status })
	if e.after != nil {
		e.after(e.n, e.r)
	}
}

// spoil applies the request's fault to the server's answer.
func (e *exchange) spoil(r *http.Response) error {
	if e.fault.spoil == nil {
		return nil
	}
	return e.fault.spoil(e, r)
}

// wait returns true after d, or false when ctx ends.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// statusJSON returns a Kubernetes Status as JSON.
func statusJSON(code int, reason, message string) string {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: metav1.StatusReason(reason), Message: message, //nolint:gosec // an HTTP status
	}
	data, err := json.Marshal(status)
	if err != nil {
		return message // impossible: a Status always marshals
	}
	return string(data)
}
