package kube

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMeterCountsByVerbAndAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/pods":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/version":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	m := &Meter{}
	c := &http.Client{Transport: m.Wrap(http.DefaultTransport)}
	for _, one := range []struct{ method, path string }{
		{"GET", "/version"},
		{"GET", "/api/v1/pods"},
		{"GET", "/api/v1/nodes/n1"},
		{"GET", "/api/v1/namespaces"},
		{"GET", "/api/v1/namespaces/a"},
		{"GET", "/api/v1/namespaces/a/secrets"},
		{"GET", "/api/v1/namespaces/a/secrets/b"},
		{"GET", "/apis/apps/v1/namespaces/a/deployments"},
		{"GET", "/apis/apps/v1/deployments?watch=true"},
		{"POST", "/api/v1/namespaces"},
		{"PATCH", "/api/v1/namespaces/a"},
		{"PUT", "/api/v1/namespaces/a"},
		{"DELETE", "/api/v1/namespaces/a"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), one.method, server.URL+one.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	want := Counts{Total: 13, Throttled: 1, Failed: 1,
		ByVerb: map[string]int64{"get": 4, "list": 4, "watch": 1, "create": 1, "patch": 1, "update": 1, "delete": 1}}
	if diff := cmp.Diff(want, m.Counts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := m.Errors(time.Minute); n != 2 {
		t.Errorf("%d errors within a minute, want 2", n)
	}
	if n := m.Errors(0); n != 0 {
		t.Errorf("%d errors within no time", n)
	}
}
