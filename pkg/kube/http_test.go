package kube

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// TestCredentialsStayWithTheirServer: a server that redirects elsewhere gets no further, whatever is asked of it.
func TestCredentialsStayWithTheirServer(t *testing.T) {
	var asked, told atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "" {
			told.Add(1)
		}
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	c, err := New(&rest.Config{Host: server.URL, BearerToken: "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	_, version := c.ServerVersion(t.Context())
	for what, err := range map[string]error{
		"version": version,
		"read":    c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "b"}, &corev1.Secret{}),
		"list":    c.List(t.Context(), &corev1.NodeList{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "redirects to another server") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if asked.Load() > 0 || told.Load() > 0 {
		t.Errorf("the other server was asked %d times, %d times with credentials", asked.Load(), told.Load())
	}
}

// TestRedirectsWithinAServer are followed.
func TestRedirectsWithinAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			http.Redirect(w, r, "/version/", http.StatusMovedPermanently)
			return
		}
		_, _ = w.Write([]byte(`{"gitVersion":"v1.33.2"}`))
	}))
	defer server.Close()
	c, err := New(&rest.Config{Host: server.URL, BearerToken: "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.ServerVersion(t.Context()); got != "v1.33.2" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
