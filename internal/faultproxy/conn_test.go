package faultproxy_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/faultproxy"
)

// watch opens /watch and returns its lines.
func watch(t *testing.T, p *faultproxy.Proxy, client *http.Client) <-chan string {
	t.Helper()
	resp, err := client.Get(p.URL() + "/watch") //nolint:noctx,bodyclose // it ends with the proxy, closed below
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		defer resp.Body.Close() //nolint:errcheck // the lines say what there is to say
		for read := bufio.NewScanner(resp.Body); read.Scan(); {
			lines <- read.Text()
		}
	}()
	return lines
}

func TestWatchesAreToldAtOnceAndCut(t *testing.T) {
	t.Parallel()
	p, u, client := start(t)
	lines := watch(t, p, client)
	u.events <- "one"
	if got := <-lines; got != "one" {
		t.Fatalf("%q", got)
	}
	p.Cut()
	if _, open := <-lines; open {
		t.Fatal("the watch goes on")
	}
	if err := askAgain(t, client, p.URL()); err != nil {
		t.Fatalf("after the cut: %v", err)
	}
}

func TestFrozenConnectionsStayOpenAndSilent(t *testing.T) {
	t.Parallel()
	p, u, client := start(t)
	lines := watch(t, p, client)
	p.Freeze()
	u.events <- "lost"
	select {
	case line, open := <-lines:
		t.Fatalf("%q, open: %t", line, open)
	case <-time.After(200 * time.Millisecond):
	}
	fresh := clientOf(t, p.Kubeconfig, "http/1.1")
	if status, _, err := ask(t, fresh, http.MethodGet, p.URL()); err != nil || status != http.StatusOK {
		t.Fatalf("a new connection: %d %v", status, err)
	}
}

func TestDownAndUp(t *testing.T) {
	t.Parallel()
	p, _, client := start(t)
	url := p.URL()
	if err := p.Down(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask(t, client, http.MethodGet, url); err == nil {
		t.Fatal("answered while down")
	}
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	if err := askAgain(t, client, url); err != nil {
		t.Fatalf("after it came up: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	p, _, client := start(t)
	for range 2 {
		if err := askAgain(t, client, p.URL()); err != nil {
			t.Fatal(err)
		}
		if err := p.NewCertificate(); err != nil {
			t.Fatal(err)
		}
	}
	if err := askAgain(t, client, p.URL()); err != nil {
		t.Fatal(err)
	}
	if err := p.ForeignCertificate(); err != nil {
		t.Fatal(err)
	}
	err := askAgain(t, client, p.URL())
	var untrusted *tls.CertificateVerificationError
	if !errors.As(err, &untrusted) {
		t.Fatalf("error %v", err)
	}
}

// askAgain asks until a connection that was cut, and whose end the client may not have noticed yet, is not the reason
// for an error.
func askAgain(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	var err error
	for range 3 {
		var untrusted *tls.CertificateVerificationError
		if _, _, err = ask(t, client, http.MethodGet, url); err == nil || errors.As(err, &untrusted) {
			break
		}
	}
	return err
}
