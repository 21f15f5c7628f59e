package faultproxy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/faultproxy"
)

// A client pays for each round trip: connecting, TLS and a request at first, later ones for the request alone.
func TestLine(t *testing.T) {
	t.Parallel()
	p, _, _ := start(t)
	const roundTrip = 200 * time.Millisecond
	line, err := faultproxy.StartLine(t.Context(), p.Kubeconfig, t.TempDir(), roundTrip)
	if err != nil {
		t.Fatal(err)
	}
	client := clientOf(t, line.Kubeconfig)
	for _, least := range []time.Duration{3 * roundTrip, roundTrip} {
		begin := time.Now()
		status, body, err := ask(t, client, http.MethodGet, line.URL()+"/a")
		if err != nil || status != http.StatusOK || body != "answer to /a" {
			t.Fatalf("%d %q %v", status, body, err)
		}
		if took := time.Since(begin); took < least {
			t.Errorf("took %s, want %s at least", took, least)
		}
	}
	if err := line.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := ask(t, client, http.MethodGet, line.URL()+"/a"); err == nil {
		t.Error("a closed line still forwards")
	}
}

func TestLineNeedsACluster(t *testing.T) {
	t.Parallel()
	if _, err := faultproxy.StartLine(t.Context(), t.TempDir()+"/none", t.TempDir(), 0); err == nil {
		t.Error("there is no kubeconfig")
	}
}
