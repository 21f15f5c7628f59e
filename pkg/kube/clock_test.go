package kube

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Ages are by the server's clock, whatever this machine's shows; a difference that the header's whole seconds explain
// is none.
func TestNowIsTheServersTime(t *testing.T) {
	var date time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
		_, _ = w.Write([]byte(`{"gitVersion":"v1.36.3"}`))
	}))
	t.Cleanup(server.Close)
	c, err := New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if off := time.Since(c.Now()).Abs(); off > time.Second {
		t.Errorf("before any answer it is off by %s", off)
	}
	for name, skew := range map[string]time.Duration{"right": 0, "ahead": 3 * time.Hour, "behind": -48 * time.Hour} {
		date = time.Now().Add(skew)
		if _, err := c.ServerVersion(t.Context()); err != nil {
			t.Fatal(err)
		}
		if off := c.Now().Sub(time.Now().Add(skew)).Abs(); off > 2*time.Second {
			t.Errorf("a server whose clock is %s: off by %s", name, off)
		}
	}
}

// A certificate that is not valid now may well be right, and the clock wrong.
func TestExplainDoubtsTheClock(t *testing.T) {
	refused := &url.Error{Op: "Get", URL: "https://api.example.com:6443/version", Err: &tls.CertificateVerificationError{
		Err: x509.CertificateInvalidError{Reason: x509.Expired, Detail: "current time 2020-01-01T00:00:00Z is before " +
			"2026-01-01T00:00:00Z"},
	}}
	said := Explain(refused)
	for _, part := range []string{"https://api.example.com:6443", "is before 2026-01-01T00:00:00Z", "clock right?"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q does not say %q", said, part)
		}
	}
	if IsTransient(refused) {
		t.Error("it does not heal by itself")
	}
}
