package cluster

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
)

// A request of the start is retried until the server can answer, with the same body.
func TestRetrying(t *testing.T) {
	abort := func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("the first half"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	for name, c := range map[string]struct {
		fail func(http.ResponseWriter)
		path string
		// attempts and body are those of the last response.
		attempts int32
		body     string
	}{
		"timeout":       {status(http.StatusGatewayTimeout), "/a", 3, "posted"},
		"not yet ready": {status(http.StatusServiceUnavailable), "/a", 3, "posted"},
		"webhook":       {status(http.StatusInternalServerError), "/a", 3, "posted"},
		"broken off":    {abort, "/a", 3, "posted"},
		"conflict":      {status(http.StatusConflict), "/a", 1, ""},
		"watch":         {status(http.StatusServiceUnavailable), "/a?watch=1", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if attempts.Add(1) < 3 {
					c.fail(w)
					return
				}
				_, _ = io.Copy(w, r.Body)
			}))
			defer server.Close()
			client, err := rest.HTTPClientFor(retrying(&rest.Config{Host: server.URL}))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Post(server.URL+c.path, "text/plain", strings.NewReader("posted"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			if err != nil || string(body) != c.body || attempts.Load() != c.attempts {
				t.Errorf("%d attempts, %q, %v; want %d and %q", attempts.Load(), body, err, c.attempts, c.body)
			}
		})
	}
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(code) }
}
