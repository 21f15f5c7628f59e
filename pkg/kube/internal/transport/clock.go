package transport

import (
	"net/http"
	"sync"
	"time"
)

// maxSkew is how far the two clocks may seem apart without anybody's fault: a Date header has whole seconds, and was
// true when the answer left.
const maxSkew = 5 * time.Second

// Clock tells the API server's time, as its answers do. How long a thing has lasted, of which an object says only when
// it began, must not depend on whether the clock of the machine hcctl runs on is right, nor on whether somebody sets it
// meanwhile.
type Clock struct {
	mu sync.Mutex
	// server is what the last answer told, here when it came, by this machine's clock and its monotonic one.
	server, local time.Time
}

// Now is the server's time; before its first answer, this machine's.
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

// record takes the time from an answer's headers.
func (c *Clock) record(h http.Header, here time.Time) {
	server, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server, c.local = server, here
}

// Wrap has the clock hear every answer.
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

// WrappedRoundTripper lets client-go find what lies below.
func (l *clockTransport) WrappedRoundTripper() http.RoundTripper { return l.next }
