package transport

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// flaky is a server that answers unless it is away.
type flaky struct {
	away  error
	asked int
}

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	f.asked++
	if f.away != nil {
		return nil, f.away
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// told is what OnAway was told, with the times.
type told struct {
	begin time.Time
	words []string
}

func (a *told) option() Option {
	say := func(format string, args ...any) {
		a.words = append(a.words, time.Since(a.begin).Round(100*time.Millisecond).String()+" "+fmt.Sprintf(format, args...))
	}
	return OnAway(func(err error) { say("away: %v", err) }, func(d time.Duration) {
		say("back after %s", d.Round(time.Second))
	})
}

// A server that has answered and is away is waited for. That is told once, within a second, and so is its return.
func TestAwayIsToldOnceAndBackOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, heard := &flaky{}, &told{begin: time.Now()}
		client, _ := WithRetries(&http.Client{Transport: server}, []Option{heard.option()})
		get := func() error {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server/", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(r)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		}
		if err := get(); err != nil {
			t.Fatal(err)
		}
		server.away = syscall.ECONNREFUSED
		time.AfterFunc(time.Minute, func() { server.away = nil })
		failed := make(chan error, 5)
		for range 5 {
			go func() { failed <- get() }()
		}
		for range 5 {
			if err := <-failed; err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"600ms away: connection refused", "1m0.6s back after 1m0s"}; len(heard.words) != 2 ||
			heard.words[0] != want[0] {
			t.Errorf("told %q, want %q", heard.words, want)
		}
		if want := 5 * 35; server.asked > want {
			t.Errorf("%d requests while it was away, want no more than %d", server.asked, want)
		}
	})
}

// A server that comes and goes is not told each time, until it has stayed for a while.
func TestAFlappingServerIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &told{begin: time.Now()}
		p := &Retry{}
		heard.option()(p)
		flap := func() {
			p.outage.answered()
			for range 30 {
				_ = p.outage.failed(t.Context(), time.Now(), syscall.ECONNREFUSED)
				<-time.After(100 * time.Millisecond) // virtual
			}
			p.outage.answered()
		}
		for range 10 {
			flap()
		}
		if len(heard.words) != 4 {
			t.Errorf("ten outages of three seconds are told as %q, want the first two", heard.words)
		}
		<-time.After(2 * calmPeriod) // virtual
		flap()
		if len(heard.words) != 6 {
			t.Errorf("told %q, want one after a while as well", heard.words[4:])
		}
	})
}

// A server that drops a request every few seconds has not stayed, however long each of its spells without one is told.
func TestAServerThatKeepsDroppingIsNotToldAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &told{begin: time.Now()}
		p := &Retry{}
		heard.option()(p)
		for minute := range 10 {
			for range 5 {
				<-time.After(10 * time.Second) // virtual
				p.outage.answered()
				_ = p.outage.failed(t.Context(), time.Now(), syscall.ECONNRESET)
				<-time.After(time.Second) // virtual
				if minute%2 == 0 {
					_ = p.outage.failed(t.Context(), time.Now(), syscall.ECONNRESET)
				}
				p.outage.answered()
			}
		}
		if len(heard.words) != 2 {
			t.Errorf("ten minutes of outages of a second are told as %q, want the first", heard.words)
		}
	})
}

// A server that has some come again later and answers others is told once.
func TestAServerThatIsSlowToSomeIsToldOnce(t *testing.T) {
	t.Parallel()
	heard := &told{begin: time.Now()}
	p := &Retry{}
	heard.option()(p)
	r := &http.Request{}
	for range 5 {
		p.handleRetryAfter(r, &http.Response{StatusCode: http.StatusTooManyRequests,
			Header: http.Header{"Retry-After": {"10"}}})
		p.handleRetryAfter(r, &http.Response{StatusCode: http.StatusOK})
	}
	if len(heard.words) != 1 {
		t.Errorf("told %q, want it once", heard.words)
	}
}

// A connection that is cut and made anew is nobody's news; nor is one request without an answer while others have
// theirs.
func TestABlipIsNotTold(t *testing.T) {
	t.Parallel()
	heard := &told{begin: time.Now()}
	o := &Retry{}
	heard.option()(o)
	o.outage.answered()
	err := o.outage.failed(t.Context(), time.Now().Add(-time.Minute), syscall.ECONNRESET)
	if !IsOutage(err) || !errors.Is(err, syscall.ECONNRESET) || !IsUnanswered(&url.Error{Err: err}) {
		t.Errorf("%v: told elsewhere %t", err, IsOutage(err))
	}
	began := time.Now()
	o.outage.answered()
	if err := o.outage.failed(t.Context(), began.Add(-time.Minute), &timeoutError{time.Minute}); IsOutage(err) {
		t.Errorf("%v: nobody else tells of it", err)
	}
	if len(heard.words) > 0 {
		t.Errorf("told %q", heard.words)
	}
}

// What other errors say is the caller's to tell, and without OnAway each error is.
func TestNotToldElsewhere(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options []Option
		err     error
	}{
		"another error":  {[]Option{OnAway(func(error) {}, func(time.Duration) {})}, errors.New("x509: unknown authority")},
		"nobody listens": {nil, syscall.ECONNREFUSED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p := WithRetries(&http.Client{Transport: &flaky{}}, slices.Clone(tt.options))
			p.outage.answered()
			if err := p.outage.failed(t.Context(), time.Now(), tt.err); IsOutage(err) || !errors.Is(err, tt.err) {
				t.Errorf("%v", err)
			}
		})
	}
}
