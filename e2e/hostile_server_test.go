package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// maxServed is after how many bytes a hostile server ends an answer that has no end otherwise.
const maxServed = 4 << 30

// hostileServer is what a tenant may run in the place of a hosted cluster's API server: it speaks TLS and HTTP/2, on
// loopback.
type hostileServer struct {
	*httptest.Server
	asked atomic.Int64
}

// newHostileServer answers everything as answer does.
func newHostileServer(t *testing.T, answer http.HandlerFunc) *hostileServer {
	t.Helper()
	h := &hostileServer{}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		answer(w, r)
	}))
	h.EnableHTTP2 = true
	h.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	h.StartTLS()
	t.Cleanup(h.Close)
	return h
}

// kubeconfig leads to the server, as the HyperShift operator writes it: a CA and a token in it.
func (h *hostileServer) kubeconfig() string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: cluster
  cluster:
    server: %s
    certificate-authority-data: %s
contexts:
- name: admin
  context: {cluster: cluster, user: admin, namespace: default}
current-context: admin
users:
- name: admin
  user: {token: not-a-real-token}
`, h.URL, base64.StdEncoding.EncodeToString(ca))
}

// endlessly writes begin, and fill again and again, until the client has gone or maxServed is reached.
func endlessly(w io.Writer, begin, fill string) {
	if _, err := io.WriteString(w, begin); err != nil {
		return
	}
	chunk := []byte(strings.Repeat(fill, 1+64<<10/len(fill)))
	for n := 0; n < maxServed; n += len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// endless begins an object whose name has no end.
func endless(w http.ResponseWriter, _ *http.Request) {
	endlessly(w, `{"metadata":{"name":"`, "aaaaaaaa")
}

// bombOf is 1.5 GB of JSON that is 1.5 MB on the way.
func bombOf(t *testing.T) http.HandlerFunc {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	chunk := bytes.Repeat([]byte("0"), 1<<20)
	_, err := io.WriteString(z, `{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"`)
	for range 1500 {
		if err == nil {
			_, err = z.Write(chunk)
		}
	}
	if err == nil {
		_, err = io.WriteString(z, `"}}]}`)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil || b.Len() > 2<<20 {
		t.Fatalf("a bomb of %d bytes, %v", b.Len(), err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(b.Bytes())
	}
}

// drip begins an answer and adds a byte to it every now and then, until the client goes away.
func drip(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, `{"metadata":{"name":"`)
	pace := time.NewTicker(100 * time.Millisecond)
	defer pace.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-pace.C:
		}
		if _, err := io.WriteString(w, "a"); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
}

// believable answers as an API server does what leads to its lists, and there with what list does.
func believable(list http.HandlerFunc) http.HandlerFunc {
	resources := []string{
		"clusterversions", "clusteroperators", "infrastructures", "networks", "ingresses", "ingresscontrollers", "nodes",
		"namespaces", "pods", "events", "storageclasses", "persistentvolumes", "persistentvolumeclaims", "services",
		"certificatesigningrequests", "apiservices",
	}
	return func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		switch {
		case parts[0] == "version":
			_, _ = io.WriteString(w, `{"major":"1","minor":"33","gitVersion":"v1.33.2"}`)
		case parts[0] == "apis" && len(parts) == 2:
			version := map[string]any{"version": "v1"}
			writeJSON(w, map[string]any{"kind": "APIGroup", "name": parts[1], "preferredVersion": version})
		case parts[0] == "apis" && len(parts) == 3, parts[0] == "api" && len(parts) == 2:
			verbs := []string{"list", "get"}
			all := []any{map[string]any{"name": "consoles", "kind": "Console", "namespaced": false, "verbs": verbs}}
			for _, name := range resources {
				all = append(all, map[string]any{"name": name, "kind": "Node", "namespaced": false, "verbs": verbs})
			}
			groupVersion := strings.Join(parts[1:], "/")
			writeJSON(w, map[string]any{"kind": "APIResourceList", "groupVersion": groupVersion, "resources": all})
		default:
			list(w, r)
		}
	}
}

func writeJSON(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

// tiny is a list of objects of which each is two bytes long, without an end.
func tiny(w http.ResponseWriter, _ *http.Request) {
	endlessly(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{}`, ",{}")
}

// everMore is a page of objects after the other.
func everMore(w http.ResponseWriter, r *http.Request) {
	from := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
	_, _ = fmt.Fprintf(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"%d"},"items":[`, from+1)
	text := strings.Repeat("x", 30_000)
	for i := range 100 {
		if i > 0 {
			_, _ = io.WriteString(w, ",")
		}
		_, _ = fmt.Fprintf(w, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n%d-%d","annotations":{"a":%q}},`+
			`"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, from, i, text)
	}
	_, _ = io.WriteString(w, "]}")
}
