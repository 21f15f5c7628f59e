package kube

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// endless writes what fill has again and again, until the client goes away or it has been 256 MiB.
func endless(w io.Writer, fill string) {
	chunk := []byte(strings.Repeat(fill, 64<<10/len(fill)))
	for range 4 << 10 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// bomb is a list of 64 MiB that is 64 kB on the way.
var bomb = func() []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = io.WriteString(z, `{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"`)
	chunk := bytes.Repeat([]byte("0"), 1<<20)
	for range 64 {
		_, _ = z.Write(chunk)
	}
	_, _ = io.WriteString(z, `"}}]}`)
	_ = z.Close()
	return b.Bytes()
}()

// hostile are the ways in which a server sends too much.
var hostile = map[string]http.HandlerFunc{
	"one string without an end": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"metadata":{"name":"`)
		endless(w, "aaaaaaaa")
	},
	"white space without an end": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		endless(w, " \n")
	},
	"objects without an end": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"List","apiVersion":"v1","items":[{}`)
		endless(w, ",{}")
	},
	"deep nesting": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		endless(w, `{"a":`)
	},
	"no content type": func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = io.WriteString(w, `{"a":"`)
		endless(w, "aaaaaaaa")
	},
	"a compressed bomb": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb)
	},
}

// eighth makes the limits an eighth of what they are, for tests to take less time.
func eighth() transport.Option {
	return func(r *transport.Retry) {
		l := &r.Limits
		for _, s := range []*transport.Size{&l.Object, &l.Page, &l.Kinds, &l.Event} {
			s.Bytes, s.Memory = s.Bytes/8, s.Memory/8
		}
	}
}

// serve starts a server with TLS that speaks HTTP/2, or HTTP/1.1 alone, and makes a client of it.
func serve(t *testing.T, http2 bool, handler http.HandlerFunc, options ...transport.Option) *Client {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.EnableHTTP2 = http2
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	cfg := &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	if !http2 {
		cfg.NextProtos = []string{"http/1.1"}
	}
	c, err := New(cfg, options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// requests are all kinds of requests there are, with what an error says they are.
var requests = map[string]struct {
	what string
	ask  func(context.Context, *Client) error
}{
	"a typed object": {"nodes a", func(ctx context.Context, c *Client) error {
		return c.Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Node{})
	}},
	"an untyped object": {"hostedclusters clusters/a", func(ctx context.Context, c *Client) error {
		return c.Get(ctx, client.ObjectKey{Namespace: "clusters", Name: "a"}, HostedCluster.New())
	}},
	"a write": {"configmaps", func(ctx context.Context, c *Client) error {
		return c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}})
	}},
	"a typed list": {"a list of nodes", func(ctx context.Context, c *Client) error {
		return c.List(ctx, &corev1.NodeList{})
	}},
	"a list in pages": {"a list of nodes", func(ctx context.Context, c *Client) error {
		return c.ListPages(ctx, &corev1.NodeList{}, func() {})
	}},
	"a list of names": {"a list of hostedclusters.hypershift.openshift.io", func(ctx context.Context, c *Client) error {
		_, err := c.Names(ctx, HostedCluster)
		return err
	}},
	"a list as it comes": {"a list of hostedclusters.hypershift.openshift.io", func(ctx context.Context, c *Client) error {
		return ListDecoded(ctx, c, HostedCluster, func(*named) {})
	}},
	"a list for a dump": {"a list of hostedclusters.hypershift.openshift.io", func(ctx context.Context, c *Client) error {
		return c.EachPage(ctx, HostedCluster, "", "", func([]unstructured.Unstructured) error { return nil })
	}},
	"a list read once": {"a list of nodes", func(ctx context.Context, c *Client) error {
		return c.Reader(informer.NewCache(ctx)).List(ctx, &corev1.NodeList{})
	}},
	"a list that is watched": {"a list of nodes", func(ctx context.Context, c *Client) error {
		m := c.NewInformers(ctx)
		defer m.Close()
		return c.Reader(m.Watch()).List(ctx, &corev1.NodeList{})
	}},
	"the version": {"/version", func(ctx context.Context, c *Client) error {
		_, err := c.ServerVersion(ctx)
		return err
	}},
	"a kind": {"the kinds it has (/apis/a.b/v1)", func(ctx context.Context, c *Client) error {
		return c.DiscoverKind(ctx, schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "C"})
	}},
	"a resource": {"the kinds it has (/apis/a.b)", func(ctx context.Context, c *Client) error {
		_, err := c.DiscoverResource(ctx, schema.GroupResource{Group: "a.b", Resource: "c"})
		return err
	}},
	"discovery": {"the kinds it has (/api", func(ctx context.Context, c *Client) error {
		_, _, err := c.ServedKinds(ctx)
		return err
	}},
}
