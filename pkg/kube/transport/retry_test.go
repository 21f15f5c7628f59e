package transport

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// answers is a server that gives one answer after the other, the last one again and again; 0 cuts the connection, -1
// never answers, -2 begins an answer without an end and -3 cuts it there.
func answers(t *testing.T, codes ...int) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := codes[min(int(asked.Add(1)), len(codes))-1]
		switch code {
		case 0:
			panic(http.ErrAbortHandler)
		case -1:
			<-r.Context().Done()
		case -3:
			_, _ = io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case -2:
			_, _ = io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			w.WriteHeader(code)
			_, _ = io.Copy(w, r.Body)
		}
	}))
	t.Cleanup(s.Close)
	return s, &asked
}

// brief is a client whose time limits are short.
func brief(options ...Option) *http.Client {
	client, _ := WithRetries(&http.Client{}, slices.Concat([]Option{func(p *Retry) {
		p.readTimeout, p.writeTimeout, p.outageTimeout = 200*time.Millisecond, 300*time.Millisecond, 3*time.Second
	}}, options))
	return client
}

func TestPatience(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, path string
		codes              []int
		// status 0 is an error.
		status, asked int
	}{
		{"well", "GET", "/", []int{200}, 200, 1},
		{"a read is tried again", "GET", "/", []int{503, 500, 429, 504, 200}, 200, 5},
		{"not for ever", "GET", "/", []int{503}, 503, 5},
		{"a refusal is one", "GET", "/", []int{403, 200}, 403, 1},
		{"a write is not", "POST", "/", []int{503, 200}, 503, 1},
		{"a dry run is", "POST", "/?dryRun=All", []int{503, 200}, 200, 2},
		{"a dry run's webhook", "PATCH", "/?dryRun=All", []int{500, 200}, 500, 1},
		{"a watch is not", "GET", "/?watch=true", []int{503, 200}, 503, 1},
		{"credentials renewed", "POST", "/", []int{401, 201}, 201, 2},
		{"credentials not renewed", "GET", "/", []int{401}, 401, 2},
		{"cut before it has ever answered", "GET", "/", []int{0, 0, 200}, 200, 3},
		{"cut again and again", "GET", "/", []int{0}, 0, 3},
		{"half an answer", "GET", "/", []int{-3, -3, 200}, 200, 3},
		{"a permission that is asked for", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", []int{503, 201},
			201, 2},
		{"a write that is cut", "POST", "/", []int{0, 200}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, asked := answers(t, tt.codes...)
			r, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := brief().Do(r)
			if (err != nil) != (tt.status == 0) || int(asked.Load()) != tt.asked {
				t.Fatalf("error %v after %d requests, want %d", err, asked.Load(), tt.asked)
			}
			if err != nil {
				return
			}
			defer resp.Body.Close() //nolint:errcheck // it was read
			body, err := io.ReadAll(resp.Body)
			if resp.StatusCode != tt.status || err != nil || string(body) != "body" {
				t.Fatalf("%d %q %v, want %d", resp.StatusCode, body, err, tt.status)
			}
		})
	}
}

func TestTimeLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, path string
		code               int
	}{
		{"a read", "GET", "/", -1},
		{"a write", "POST", "/", -1},
		{"a watch that does not begin", "GET", "/?watch=true", -1},
		{"an answer without an end", "GET", "/", -2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := answers(t, tt.code)
			r, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			resp, err := brief(func(p *Retry) { p.outageTimeout = 0 }).Do(r)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			var timeout net.Error
			if !errors.As(err, &timeout) || !timeout.Timeout() || !IsUnanswered(err) ||
				!strings.Contains(err.Error(), "no answer within") {
				t.Fatalf("error %v, unanswered %t", err, IsUnanswered(err))
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Fatalf("took %s", took)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	s, _ := answers(t, 200, 401, 401, 200)
	c, p := WithRetries(&http.Client{}, nil)
	for i, want := range []bool{false, true, false} {
		resp, err := c.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := p.AuthError(); apierrors.IsUnauthorized(got) != want || !want && got != nil {
			t.Errorf("after question %d: %v", i, got)
		}
	}
}

// A watch that has begun may be quiet for as long as it likes.
func TestAWatchHasNoTimeLimit(t *testing.T) {
	t.Parallel()
	s, _ := answers(t, -2)
	resp, err := brief().Get(s.URL + "/?watch=true") //nolint:bodyclose // it is closed at the end
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(resp.Body)
		read <- err
	}()
	select {
	case err := <-read:
		t.Fatal(err)
	case <-time.After(time.Second):
	}
	_ = resp.Body.Close()
	if err := <-read; err == nil {
		t.Error("a watch that is closed ended well")
	}
}
