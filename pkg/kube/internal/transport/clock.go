package transport

import (
	"net/http"
	"sync"
	"time"
)

// tolerance is how far the two clocks may seem apart without anybody's fault: a Date header has whole seconds, and was
// true when the answer left.
const tolerance = 5 * time.Second

// Clock tells the API server's time, as its answers do. How long a thing has lasted, of which an object says only when
// it began, must not depend on whether the clock of the machine hcctl runs on is right, nor on whether somebody sets it
// meanwhile.
type Clock struct {
	mu sync.Mutex
	// server is what the last answer told, here when it came, by this machine's clock and its monotonic one.
	server, here time.Time
}

// Now is the server's time; before its first answer, this machine's.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch skew := c.server.Sub(c.here); {
	case c.here.IsZero():
		return time.Now()
	case skew.Abs() < tolerance:
		return c.here.Add(time.Since(c.here))
	}
	return c.server.Add(time.Since(c.here))
}

// told takes the time from an answer's headers.
func (c *Clock) told(h http.Header, here time.Time) {
	server, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server, c.here = server, here
}

// Listen has the clock hear every answer.
func (c *Clock) Listen(next http.RoundTripper) http.RoundTripper { return &listening{next, c} }

type listening struct {
	next  http.RoundTripper
	clock *Clock
}

func (l *listening) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	if err == nil {
		l.clock.told(resp.Header, time.Now())
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find what lies below.
func (l *listening) WrappedRoundTripper() http.RoundTripper { return l.next }
