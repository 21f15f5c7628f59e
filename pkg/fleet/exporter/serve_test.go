package exporter

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const patience = 20 * time.Second

func clock() time.Time { return now }

func get(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestWrongServers(t *testing.T) {
	for name, tc := range map[string]struct {
		server Server
		want   string
	}{
		"loopback":           {Server{Listen: DefaultListen}, ""},
		"loopback by name":   {Server{Listen: "localhost:0"}, ""},
		"IPv6":               {Server{Listen: "[::1]:9467"}, ""},
		"everybody":          {Server{Listen: ":9467"}, "others can reach it"},
		"a name":             {Server{Listen: "localhost.example.com:9467"}, "others can reach it"},
		"everybody, openly":  {Server{Listen: ":9467", PlainHTTP: true}, ""},
		"everybody, by TLS":  {Server{Listen: ":9467", Certificate: "a", Key: "b"}, ""},
		"no port":            {Server{Listen: "127.0.0.1"}, "not an address and a port"},
		"half a pair":        {Server{Listen: DefaultListen, Key: "b"}, "give both or none"},
		"clients in plain":   {Server{Listen: DefaultListen, ClientCA: "c"}, "--client-ca: only with"},
		"secure or insecure": {Server{Listen: ":1", Certificate: "a", Key: "b", PlainHTTP: true}, "not with --tls-cert"},
	} {
		switch err := tc.server.Validate(); {
		case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	f, err := New(Options{MaxClusters: 1}, started)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f.Handler(clock))
	defer server.Close()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/metrics": 503, "/": 404} {
		if code, body := get(t, server.Client(), server.URL+path); code != want {
			t.Errorf("before the first read %s is %d: %s", path, code, body)
		}
	}
	f.note("HostedCluster", true)
	f.note("NodePool", true)
	for _, path := range []string{"/readyz", "/metrics"} {
		if code, body := get(t, server.Client(), server.URL+path); code != 200 {
			t.Errorf("after it %s is %d: %s", path, code, body)
		}
	}
	answer, err := http.Post(server.URL+"/metrics", "text/plain", nil) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST is %d", answer.StatusCode)
	}
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept-Encoding", "br, gzip;q=0.5")
	w := httptest.NewRecorder()
	f.Handler(clock).ServeHTTP(w, r)
	packed, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(packed); err != nil || !strings.Contains(string(plain), sourceUp+`{kind="NodePool"} 1`) ||
		w.Header().Get("Content-Type") != ContentType {
		t.Errorf("%v, %v: %s", err, w.Header(), plain)
	}
}

// TestTLS: the certificate is read again when it changes, clients without one of their own are refused, and a request
// that is under way is finished at the end.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(at(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, fresh, reader := kubetest.NewPair("old"), kubetest.NewPair("fresh"), kubetest.NewPair("prometheus")
	write("crt", old.Certificate)
	write("key", old.Key)
	write("ca", reader.Certificate)
	f := fleetOf(t, Options{})
	s := Server{Listen: "127.0.0.1:0", Certificate: at("crt"), Key: at("key"), ClientCA: at("ca")}
	ctx, cancel := context.WithCancel(t.Context())
	l, address, err := s.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, f, clock) }()
	pair, err := tls.X509KeyPair(reader.Certificate, reader.Key)
	if err != nil {
		t.Fatal(err)
	}
	client := func(certificates ...tls.Certificate) (*http.Client, *string) {
		seen := new(string)
		return &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: certificates,
				InsecureSkipVerify: true, // VerifyConnection looks at it
				VerifyConnection: func(c tls.ConnectionState) error {
					*seen = c.PeerCertificates[0].Subject.CommonName
					return nil
				}}}}, seen
	}
	known, seen := client(pair)
	if code, _ := get(t, known, address); code != 200 || *seen != "old" {
		t.Errorf("%d, by %s", code, *seen)
	}
	stranger, _ := client()
	if _, err := stranger.Get(address); err == nil { //nolint:noctx,bodyclose // it is refused
		t.Error("a client without a certificate is answered")
	}
	write("crt", []byte("half written"))
	if code, _ := get(t, known, address); code != 200 || *seen != "old" {
		t.Errorf("while the file is broken: %d, by %s", code, *seen)
	}
	write("crt", fresh.Certificate)
	write("key", fresh.Key)
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(at("crt"), later, later); err != nil {
		t.Fatal(err)
	}
	if code, _ := get(t, known, address); code != 200 || *seen != "fresh" {
		t.Errorf("after the change: %d, by %s", code, *seen)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("it does not end")
	}
}

func TestWrongFilesOfTLS(t *testing.T) {
	dir := t.TempDir()
	empty, pair := filepath.Join(dir, "empty"), kubetest.NewPair("a")
	crt, key := filepath.Join(dir, "crt"), filepath.Join(dir, "key")
	for path, data := range map[string][]byte{empty: nil, crt: pair.Certificate, key: pair.Key} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, s := range map[string]Server{
		"--tls-cert " + empty:               {Certificate: empty, Key: key},
		"no such file":                      {Certificate: filepath.Join(dir, "none"), Key: key},
		"--client-ca " + empty + ": no cer": {Certificate: crt, Key: key, ClientCA: empty},
	} {
		s.Listen = "127.0.0.1:0"
		if _, _, err := s.Open(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := authorities(crt); err != nil {
		t.Error(err)
	}
}

// following follows an API server of both kinds.
func following(t *testing.T) (clusters, pools *kubetest.Server, f *Fleet, trouble, ended chan error) {
	t.Helper()
	const version = "hypershift.openshift.io/v1beta1"
	clusters = kubetest.New(version, "HostedCluster", "hostedclusters")
	pools = kubetest.New(version, "NodePool", "nodepools")
	clusters.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/nodepools") {
			return false
		}
		pools.ServeHTTP(w, r)
		return true
	}
	c, err := kube.New(clusters.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	f, err = New(Options{MaxClusters: DefaultMaxClusters}, started)
	if err != nil {
		t.Fatal(err)
	}
	trouble, ended = make(chan error, 10), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { ended <- f.Follow(ctx, c, func(err error) { trouble <- err }) }()
	return clusters, pools, f, trouble, ended
}

// until waits until the metrics have a line.
func until(t *testing.T, f *Fleet, want string) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for {
		got := text(t, f)
		if strings.Contains(got, want) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s does not come:\n%s", want, got)
		}
	}
}

func object(kind, name string, spec kubetest.Object) kubetest.Object {
	return kubetest.Object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": kind,
		"metadata": kubetest.Object{"namespace": "clusters", "name": name, "uid": name,
			"creationTimestamp": "2026-11-24T11:50:00Z"}, "spec": spec}
}

// TestFollow: the first read of an empty cluster makes it ready, and changes become metrics.
func TestFollow(t *testing.T) {
	clusters, pools, f, _, _ := following(t)
	select {
	case <-f.Ready():
	case <-time.After(patience):
		t.Fatal("it is never ready")
	}
	until(t, f, sourceUp+`{kind="NodePool"} 1`)
	clusters.Set(object("HostedCluster", "kv-00", kubetest.Object{}))
	until(t, f, `hcctl_hosted_cluster_state{cluster_namespace="clusters",name="kv-00",phase="`)
	pools.Set(object("NodePool", "kv-00", kubetest.Object{"clusterName": "kv-00", "replicas": 2}))
	until(t, f, poolDesired+`{cluster_namespace="clusters",name="kv-00",cluster="kv-00"} 2`)
	// An object of another form is left as it was.
	clusters.Set(object("HostedCluster", "kv-01", kubetest.Object{"pausedUntil": kubetest.Object{"a": "map"}}))
	clusters.Set(object("HostedCluster", "kv-02", kubetest.Object{"pausedUntil": "true"}))
	until(t, f, `name="kv-02",phase="paused"`)
	clusters.Delete("clusters", "kv-00")
	until(t, f, fleetSize+`{phase="creating",health="progressing"} 0`)
	clusters.Delete("clusters", "kv-02")
	until(t, f, fleetSize+`{phase="paused",health="progressing"} 0`)
	if got := text(t, f); strings.Contains(got, clusterState+"{") {
		t.Errorf("a deleted cluster is still there:\n%s", got)
	}
}

// TestFollowIsRefused: without the role it ends, so that the pod says why, and so it does without HyperShift.
func TestFollowIsRefused(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"forbidden": func(w http.ResponseWriter) {
			kubetest.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		},
		"not installed": func(w http.ResponseWriter) { http.Error(w, "404 page not found", http.StatusNotFound) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := kube.New(kubetest.Connect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) })))
			if err != nil {
				t.Fatal(err)
			}
			f, err := New(Options{MaxClusters: 1}, started)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err = f.Follow(ctx, c, func(err error) { t.Errorf("it waits: %v", err) })
			var missing *hostedcluster.NotInstalledError
			if err == nil || ctx.Err() != nil || errors.As(err, &missing) != (name == "not installed") {
				t.Error(err)
			}
		})
	}
}

// A page in a browser that has its own name lead to this machine gets no metrics.
func TestHosts(t *testing.T) {
	s := Server{Listen: "metrics.lab:9467", Hosts: []string{"Metrics.example.com"}}
	f := fleetOf(t, Options{})
	server := httptest.NewServer(s.guard(f.Handler(clock)))
	defer server.Close()
	for host, want := range map[string]int{
		"": 200, "localhost:9467": 200, "LOCALHOST": 200, "127.0.0.1:9467": 200, "10.1.2.3": 200, "[::1]:9467": 200,
		"metrics.lab:9467": 200, "metrics.example.com:443": 200, "hcctl-exporter.clusters.svc:9467": 200,
		"hcctl-exporter.clusters.svc.cluster.local": 200,
		"evil.example.com":                          421, "127.0.0.1.evil.example.com:9467": 421, "localhost.evil.example.com": 421, "x.svc.evil": 421,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("host %q gets %d, want %d", host, answer.StatusCode, want)
		}
	}
}
