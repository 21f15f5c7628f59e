package transport

import (
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// shared is a connection on which many requests are under way at once; each takes a moment, and as long as it is bad,
// one in five breaks all of them.
type shared struct {
	mu         sync.Mutex
	asked      int
	generation int
	hangs      func(n int) bool
}

func (s *shared) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked++
	n, mine := s.asked, s.generation
	s.mu.Unlock()
	if s.hangs != nil && s.hangs(n) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	<-time.After(time.Duration(n%7) * time.Millisecond) // virtual
	s.mu.Lock()
	defer s.mu.Unlock()
	if n%5 == 0 {
		s.generation++
	}
	if n%5 == 0 || mine != s.generation {
		return nil, syscall.ECONNRESET
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{}}, nil
}

// asking sends that many questions at once, and returns how long it took until all were answered, and how many were
// not.
func asking(t *testing.T, p *Retry, n int) (took time.Duration, failed int) {
	t.Helper()
	begin := time.Now()
	p.outage.answered() // it has answered before
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range n {
		wg.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server/api", http.NoBody)
			if err == nil {
				_, err = p.RoundTrip(r) //nolint:bodyclose // it has none
			}
			if err != nil {
				mu.Lock()
				failed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return time.Since(begin), failed
}

// A hundred questions on one connection that breaks at one in five of them are answered within seconds: they do not all
// come back at once, to break together.
func TestWhatFailsTogetherDoesNotComeBackTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := WithRetries(&http.Client{Transport: &shared{}}, nil)
		took, failed := asking(t, p, 100)
		if failed > 0 || took > 10*time.Second {
			t.Errorf("%d of 100 failed, it took %s", failed, took)
		}
	})
}

// Questions that are asked again and get no answer hold up the others for no longer than their wait.
func TestAskingAgainWaitsForNobodyForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The first forty break together; the first two that come again are never answered.
		s := &shared{hangs: func(n int) bool { return n == 41 || n == 42 }}
		_, p := WithRetries(&http.Client{Transport: s}, nil)
		if took, failed := asking(t, p, 40); failed > 0 || took > readTimeout+30*time.Second {
			t.Errorf("%d of 40 failed, it took %s", failed, took)
		}
	})
}
