package e2e

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"
)

// retryPause is between two attempts of a read whose connection failed.
const retryPause = 100 * time.Millisecond

// retryReads repeats reads whose connection is refused or lost, until the request's own time is up: the API server of
// some scripts restarts, and what they look at is there before and after.
type retryReads struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (r retryReads) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := r.next.RoundTrip(req)
		if err == nil || req.Method != http.MethodGet || !lostConnection(err) {
			return resp, err
		}
		timer := time.NewTimer(retryPause)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			timer.Stop()
			return nil, err
		}
	}
}

func lostConnection(err error) bool {
	for _, lost := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRetryReads(t *testing.T) {
	for _, c := range []struct {
		method   string
		failure  error
		attempts int
	}{
		{http.MethodGet, syscall.ECONNREFUSED, 2},
		{http.MethodPatch, syscall.ECONNREFUSED, 1},
		{http.MethodGet, errors.New("certificate"), 1},
	} {
		attempts := 0
		transport := retryReads{roundTrip(func(*http.Request) (*http.Response, error) {
			if attempts++; attempts == 1 {
				return nil, c.failure
			}
			return httptest.NewRecorder().Result(), nil
		})}
		resp, err := transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), c.method, "https://x/api", nil))
		if resp != nil {
			_ = resp.Body.Close()
		}
		if attempts != c.attempts || (err == nil) != (c.attempts == 2) {
			t.Errorf("%s after %v: %d attempts and error %v, want %d attempts", c.method, c.failure, attempts, err, c.attempts)
		}
	}
}
