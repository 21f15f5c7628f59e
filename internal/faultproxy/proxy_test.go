package faultproxy_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/faultproxy"
)

const upstreamToken = "upstream"

// upstream is a server that knows one token and counts what it answered.
type upstream struct {
	asked atomic.Int32
	// events lets a line of /watch out for each value.
	events chan string
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.asked.Add(1)
	if r.Header.Get("Authorization") != "Bearer "+upstreamToken {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if r.URL.Path != "/watch" {
		_, _ = fmt.Fprint(w, "answer to "+r.URL.RequestURI())
		return
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case line := <-u.events:
			_, _ = fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// start runs a proxy before an upstream and returns a client that goes through it by its kubeconfig.
func start(t *testing.T) (*faultproxy.Proxy, *upstream, *http.Client) {
	t.Helper()
	u := &upstream{events: make(chan string)}
	server := httptest.NewUnstartedServer(u)
	server.EnableHTTP2 = true
	server.StartTLS()
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["c"] = &clientcmdapi.Cluster{
		Server: server.URL, CertificateAuthorityData: pem.EncodeToMemory(
			&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
	cfg.AuthInfos["u"] = faultproxy.WithToken(upstreamToken)
	cfg.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	cfg.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "upstream")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	p, err := faultproxy.Start(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		server.CloseClientConnections()
		server.Close()
	})
	return p, u, clientOf(t, p.Kubeconfig)
}

// clientOf is a client by a kubeconfig. client-go gives the same connections to all that want the same protocols.
func clientOf(t *testing.T, kubeconfig string, protocols ...string) *http.Client {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	cfg.NextProtos = protocols
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// ask makes a request and reads all of its answer.
func ask(t *testing.T, client *http.Client, method, url string) (int, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestPassesWithTheServersCredentials(t *testing.T) {
	t.Parallel()
	p, _, client := start(t)
	status, body, err := ask(t, client, http.MethodGet, p.URL()+"/a?b=c")
	if err != nil || status != http.StatusOK || body != "answer to /a?b=c" {
		t.Fatalf("%d %q %v", status, body, err)
	}
	info, err := os.Stat(p.Kubeconfig)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("kubeconfig: %v %v", info.Mode(), err)
	}
	log := p.Requests()
	if len(log) != 1 || log[0].URI != "/a?b=c" || log[0].Status != http.StatusOK || log[0].Fault != "" || log[0].N != 1 {
		t.Fatalf("log: %+v", log)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault faultproxy.Fault
		// status 0 is an answer that breaks off or never begins.
		status, asked int
		body          string
	}{
		{"pass", faultproxy.Pass(), 200, 1, "answer to /"},
		{"answer", faultproxy.Answer(503, nil, "no"), 503, 0, "no"},
		{"refuse", faultproxy.Refuse(409, "Conflict", "lost", 0), 409, 0, `"reason":"Conflict"`},
		{"drop before", faultproxy.DropBefore(), 0, 0, ""},
		{"drop after", faultproxy.DropAfter(), 0, 1, ""},
		{"cut", faultproxy.Cut(4), 0, 1, "answ"},
		{"cut too late", faultproxy.Cut(400), 200, 1, "answer to /"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u, client := start(t)
			p.Use(func(int, *http.Request) faultproxy.Fault { return tt.fault })
			status, body, err := ask(t, client, http.MethodPost, p.URL()+"/")
			if (tt.status == 0) != (err != nil) || err == nil && status != tt.status {
				t.Errorf("status %d, error %v", status, err)
			}
			if !strings.Contains(body, tt.body) {
				t.Errorf("body %q", body)
			}
			if got := int(u.asked.Load()); got != tt.asked {
				t.Errorf("the server was asked %d times, want %d", got, tt.asked)
			}
			met := tt.name != "pass" && tt.name != "cut too late"
			if log := p.Requests(); log[0].Fault != tt.fault.String() || log[0].Met != met {
				t.Errorf("log: %+v", log)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	p, _, client := start(t)
	p.Use(func(int, *http.Request) faultproxy.Fault {
		return faultproxy.Refuse(429, "TooManyRequests", "slow down", 2*time.Second)
	})
	resp, err := client.Get(p.URL()) //nolint:noctx // it is answered at once
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing of it is wanted
	if got := resp.Header.Get("Retry-After"); got != "2" || resp.StatusCode != http.StatusTooManyRequests {
		t.Fatalf("%d, Retry-After %q", resp.StatusCode, got)
	}
}

func TestLateOrNever(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faultproxy.Fault{
		"delay": faultproxy.Delay(time.Hour, faultproxy.Pass()), "hang": faultproxy.Hang(),
		"hang after": faultproxy.HangAfter(), "stall": faultproxy.Stall(3),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, u, client := start(t)
			p.Use(func(n int, _ *http.Request) faultproxy.Fault {
				if n == 1 {
					return fault
				}
				return faultproxy.Pass()
			})
			client.Timeout = 300 * time.Millisecond
			if _, body, err := ask(t, client, http.MethodGet, p.URL()); err == nil {
				t.Fatalf("answered %q", body)
			}
			client.Timeout = 0
			if _, _, err := ask(t, client, http.MethodGet, p.URL()); err != nil {
				t.Fatalf("the next request: %v", err)
			}
			if want := map[string]int32{"delay": 1, "hang": 1, "hang after": 2, "stall": 2}[name]; u.asked.Load() != want {
				t.Errorf("the server was asked %d times, want %d", u.asked.Load(), want)
			}
		})
	}
}

// A hook before sees the server untouched, one after sees it asked and the client without an answer.
func TestHooks(t *testing.T) {
	t.Parallel()
	p, u, client := start(t)
	var before, after, answered atomic.Int32
	before.Store(-1)
	p.Before(func(int, *http.Request) { before.Store(u.asked.Load()) })
	p.After(func(n int, _ *http.Request) { after.Store(u.asked.Load() + answered.Load()); answered.Add(int32(n)) })
	if _, _, err := ask(t, client, http.MethodGet, p.URL()); err != nil {
		t.Fatal(err)
	}
	if before.Load() != 0 || after.Load() != 1 || answered.Load() != 1 {
		t.Fatalf("asked before: %d, after: %d; hook after called %d times", before.Load(), after.Load(), answered.Load())
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	p, u, client := start(t)
	p.Accept("fresh")
	status, body, err := ask(t, client, http.MethodGet, p.URL())
	if err != nil || status != http.StatusUnauthorized || !strings.Contains(body, `"Unauthorized"`) ||
		u.asked.Load() != 0 {
		t.Fatalf("%d %q %v", status, body, err)
	}
	data, err := p.KubeconfigFor(faultproxy.WithToken("fresh"))
	path := filepath.Join(t.TempDir(), "fresh")
	if err := errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	if status, _, err := ask(t, clientOf(t, path), http.MethodGet, p.URL()); err != nil || status != http.StatusOK {
		t.Fatalf("%d %v", status, err)
	}
}
