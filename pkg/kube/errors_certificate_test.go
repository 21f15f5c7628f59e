package kube

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// A certificate that is not trusted is not a server that is away: nothing is tried again, and waiting is of no use.
func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	_, err := http.Get(s.URL) //nolint:noctx,bodyclose // there is no answer
	if err == nil || !transport.IsUntrusted(err) || IsTransient(err) || !Unknown(err).Final {
		t.Fatalf("%v: untrusted %t, transient %t", err, transport.IsUntrusted(err), IsTransient(err))
	}
	if got := Explain(err); !strings.Contains(got, "certificate is not trusted") {
		t.Error(got)
	}
}
