package kube_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// fault is what happens instead of an answer.
type fault func(http.ResponseWriter) error

// trouble is an API server that is reached through a test's own faults.
type trouble struct {
	*kubetest.Server
	// fault answers in the server's place, or fails.
	fault atomic.Pointer[fault]
	next  http.RoundTripper
	// asked is how many requests came, those that failed included.
	asked atomic.Int32
}

// RoundTrip implements http.RoundTripper.
func (s *trouble) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	f := s.fault.Load()
	if f == nil {
		return s.next.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	if err := (*f)(w); err != nil {
		return nil, err
	}
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

func (s *trouble) begin(f fault) { s.fault.Store(&f) }
func (s *trouble) end()          { s.fault.Store(nil) }

// inTrouble follows one HostedCluster, in virtual time.
func inTrouble(t *testing.T) (*trouble, *informer.Watch, *informer.Changes) {
	t.Helper()
	s := &trouble{Server: hostedClusters()}
	change(s.Server, 1, "first")
	cfg := s.Direct()
	s.next, cfg.Transport = cfg.Transport, s
	c, err := kube.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := c.NewInformers(t.Context())
	t.Cleanup(m.Close)
	w := m.Watch()
	t.Cleanup(w.Close)
	changes := c.Changes(w, kube.Selection{Kind: kube.HostedCluster})
	if got, err := changes.Take(t.Context()); err != nil || len(got) != 1 {
		t.Fatalf("%d objects at first, %v", len(got), err)
	}
	synctest.Wait()
	woken(w)
	return s, w, changes
}

func woken(w *informer.Watch) bool {
	select {
	case <-w.Changed():
		return true
	default:
		return false
	}
}

// wakes counts how often somebody is woken in a time.
func wakes(w *informer.Watch, d time.Duration) (n int) {
	for limit := time.After(d); ; n++ {
		select {
		case <-w.Changed():
		case <-limit:
			return n
		}
	}
}

func busy(code int, retryAfter string) fault {
	return func(w http.ResponseWriter) error {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		http.Error(w, "Too many requests, please try again later.", code)
		return nil
	}
}

// A watch that ends while the server is busy or away is begun again no sooner than the server asks for, and told once,
// whatever the errors are. A short business is told to nobody.
func TestSetbacks(t *testing.T) {
	t.Parallel()
	var n int
	away := func(http.ResponseWriter) error {
		n++
		return []error{syscall.ECONNREFUSED, io.EOF, syscall.ECONNRESET, io.ErrUnexpectedEOF}[n%4]
	}
	for _, tt := range []struct {
		name  string
		fault fault
		lasts time.Duration
		// told is whether somebody learns of it, as what, and after least and most requests.
		told        string
		least, most int32
	}{
		{"429 for a moment", busy(429, ""), time.Second, "", 2, 6},
		{"429, come again in a second", busy(429, "1"), 2500 * time.Millisecond, "", 2, 3},
		{"429 for a minute, come again in 20 seconds", busy(429, "20"), time.Minute, "the API server asks to slow down", 3,
			3},
		{"503 for a minute", busy(503, ""), time.Minute, "the server is currently unable", 20, 40},
		{"500 for a minute, come again in 10 seconds", busy(500, "10"), time.Minute, "Too many requests", 5, 6},
		{"away for a moment", away, 2 * time.Second, "", 3, 6},
		{"away for a minute", away, time.Minute, "does not answer", 20, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w, changes := inTrouble(t)
				s.begin(tt.fault)
				before := s.asked.Load()
				s.Break()
				told := wakes(w, tt.lasts)
				asked := s.asked.Load() - before
				if told != min(1, len(tt.told)) || asked < tt.least || asked > tt.most {
					t.Errorf("told %d times, after %d requests, want %d to %d", told, asked, tt.least, tt.most)
				}
				if _, err := changes.Take(t.Context()); (err != nil) != (tt.told != "") || err != nil &&
					!strings.Contains(kube.Explain(err), tt.told) {
					t.Errorf("it is told as %q, want %q", kube.Explain(err), tt.told)
				}
				s.end()
				change(s.Server, 1, "second")
				if told := wakes(w, time.Minute); told == 0 || told > 2 {
					t.Errorf("told %d times that it is over and that something changed", told)
				}
				if got, err := changes.Take(t.Context()); err != nil || len(got) != 1 {
					t.Errorf("%d changes after it, %v; want the one", len(got), err)
				}
				for _, r := range s.Requests()[2:] {
					if !strings.Contains(r, "watch=true") {
						t.Errorf("the version is known, and %s is asked", r)
					}
				}
			})
		})
	}
}

// A refusal is no setback: it is told at once.
func TestARefusalIsToldAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, w, changes := inTrouble(t)
		s.begin(busy(403, ""))
		s.Break()
		synctest.Wait()
		<-time.After(time.Second) // virtual
		if _, err := changes.Take(t.Context()); !woken(w) || err == nil {
			t.Errorf("told as %v", err)
		}
	})
}

// A server that is slow to everybody is told once by those for whom client-go waits.
func TestASlowServerIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		retryAfter string
		times      int32
		told       int
	}{
		"for a moment":          {"1", 2, 0},
		"for eight seconds":     {"1", 8, 1},
		"once, but for a while": {"30", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := hostedClusters()
				change(s, 1, "first")
				var asked atomic.Int32
				s.Answer = func(w http.ResponseWriter, _ *http.Request) bool {
					if asked.Add(1) > tt.times {
						return false
					}
					w.Header().Set("Retry-After", tt.retryAfter)
					http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
					return true
				}
				var told []string
				c, err := kube.New(s.Direct(), transport.OnAway(func(err error) { told = append(told, kube.Explain(err)) },
					func(time.Duration) {}))
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				if err := c.List(t.Context(), kube.HostedCluster.NewList()); err != nil {
					t.Fatal(err)
				}
				if len(told) != tt.told || tt.told > 0 && told[0] != "the API server asks to slow down" {
					t.Errorf("told %q", told)
				}
				if took := time.Since(begin); took < time.Duration(tt.times)*time.Second {
					t.Errorf("answered after %s, too early", took)
				}
			})
		})
	}
}
