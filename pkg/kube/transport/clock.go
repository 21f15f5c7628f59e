package transport

import (
	"net/http"
	"sync"
	"time"
)

// maxSkew is the maximum difference between two correct clocks: a Date header has whole seconds, and is as old as the
// answer.
const maxSkew = 5 * time.Second

// Clock estimates the API server's time, so that the age of an object does not depend on the local clock.
type Clock struct {
	mu sync.Mutex
	// server is the Date of the last answer, local the local time of its arrival.
	server, local time.Time
}

// Now returns the server's time, or the local time before its first answer.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch skew := c.server.Sub(c.local); {
	case c.local.IsZero():
		return time.Now()
	case skew.Abs() < maxSkew:
		return c.local.Add(time.Since(c.local))
	}
	return c.server.Add(time.Since(c.local))
}

// record sets the time from an answer's headers.
func (c *Clock) record(h http.Header, here time.Time) {
	server, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server, c.local = server, here
}

// Wrap returns a RoundTripper that updates the clock from every answer.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper { return &clockTransport{next, c} }

type clockTransport struct {
	next  http.RoundTripper
	clock *Clock
}

func (l *clockTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	if err == nil {
		l.clock.record(resp.Header, time.Now())
	}
	return resp, err
}

// WrappedRoundTripper returns the inner transport, for client-go.
func (l *clockTransport) WrappedRoundTripper() http.RoundTripper { return l.next }
