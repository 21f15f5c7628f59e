package subresource_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	gorilla "github.com/gorilla/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/subresource"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// echo answers as virt-api does: it sends back what it gets, in messages of its own, until it gets "end".
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const want = "/base/apis/subresources.kubevirt.io/v1/namespaces/ns/virtualmachineinstances/vm/portforward/22/tcp"
		if r.URL.Path != want || r.Header.Get("Authorization") != "Bearer secret" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,`+
				`"message":"virtualmachineinstances.subresources.kubevirt.io \"vm\" is forbidden"}`)
			return
		}
		upgrade := gorilla.Upgrader{Subprotocols: []string{subresource.Protocol}}
		conn, err := upgrade.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		for {
			_, data, err := conn.ReadMessage()
			if err != nil || string(data) == "end" {
				return // virt-api closes without a word
			}
			for _, b := range data {
				_ = conn.WriteMessage(gorilla.BinaryMessage, []byte{b})
			}
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestDial(t *testing.T) {
	cfg := &rest.Config{Host: echo(t).URL + "/base", BearerToken: "secret"}
	stream, err := subresource.Dial(t.Context(), cfg, "ns", "vm", "portforward/22/tcp")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stream, "hello"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(stream, got); err != nil || string(got) != "hello" {
		t.Fatalf("%q, %v", got, err)
	}
	var out bytes.Buffer
	if err := subresource.Copy(stream, strings.NewReader("end"), &out); err != nil || out.Len() != 0 {
		t.Errorf("at the end: %q, %v", out.String(), err)
	}
}

func TestDialIsRefused(t *testing.T) {
	cfg := &rest.Config{Host: echo(t).URL + "/base", BearerToken: "another"}
	if _, err := subresource.Dial(t.Context(), cfg, "ns", "vm", "portforward/22/tcp"); !apierrors.IsForbidden(err) {
		t.Errorf("got %v", err)
	}
}

// virt-api answers in plain text: the reason is told.
func TestDialTellsAPlainAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "dialing VM: connection refused", http.StatusInternalServerError)
	}))
	t.Cleanup(server.Close)
	_, err := subresource.Dial(t.Context(), &rest.Config{Host: server.URL}, "ns", "vm", "console")
	if err == nil || err.Error() != "VirtualMachineInstance ns/vm, console: dialing VM: connection refused (500 Internal "+
		"Server Error)" {
		t.Errorf("got %v", err)
	}
}

// TestDialTellsTheProxy: what a proxy says is not told as the API server's.
func TestDialTellsTheProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, at := range []string{proxy.URL, gone.URL} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		cfg := &rest.Config{Host: "https://api.invalid:6443", Proxy: http.ProxyURL(u)}
		if _, err := subresource.Dial(t.Context(), cfg, "ns", "vm", "console"); !transport.IsProxy(err) {
			t.Errorf("got %v", err)
		}
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := &rest.Config{Host: echo(t).URL + "/base", BearerToken: "secret"}
	stream, err := subresource.Dial(ctx, cfg, "ns", "vm", "portforward/22/tcp")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := stream.Read(make([]byte, 1)); err == nil {
		t.Error("the stream goes on")
	}
}
