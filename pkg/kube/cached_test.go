package kube

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// TestCachedAsksForAnyVersion: where it was asked for, and nowhere else: not in a list that has to be up to date, read
// in the same moment, nor under a watch.
func TestCachedAsksForAnyVersion(t *testing.T) {
	var mu sync.Mutex
	var versions []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Has("watch") {
			<-r.Context().Done()
			return
		}
		mu.Lock()
		versions = append(versions, r.URL.Query().Get("resourceVersion"))
		mu.Unlock()
		_, _ = w.Write(
			[]byte(
				`{"kind":"ClusterImageSetList","apiVersion":"hive.openshift.io/v1","metadata":{"resourceVersion":"1"},"items":[]}`))
	}))
	defer server.Close()
	c, err := New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	once, mirror := c.Reader(informer.NewCache(t.Context())), c.NewInformers(t.Context())
	defer mirror.Close()
	watch := mirror.Watch()
	defer watch.Close()
	for _, read := range []struct {
		what    string
		from    Reader
		options []client.ListOption
		want    []string
	}{
		{"any", c, []client.ListOption{FromCache{}}, []string{"0"}},
		{"up to date", c, nil, []string{""}},
		{"any, once", once, []client.ListOption{FromCache{}}, []string{"0"}},
		{"up to date, once", once, nil, []string{""}},
		{"any, again", once, []client.ListOption{FromCache{}}, nil},
		{"any, with a part", c, []client.ListOption{FromCache{},
			informer.FieldFilter{Field: "spec.clusterName", Value: "kv"}}, []string{"0"}},
		{"any, watched", c.Reader(watch), []client.ListOption{FromCache{}}, []string{""}},
		{"up to date, watched", c.Reader(watch), nil, nil},
	} {
		versions = nil
		if err := read.from.List(t.Context(), ClusterImageSet.NewList(), read.options...); err != nil {
			t.Fatalf("%s: %v", read.what, err)
		}
		if mu.Lock(); !slices.Equal(versions, read.want) {
			t.Errorf("%s: asked for versions %q, want %q", read.what, versions, read.want)
		}
		mu.Unlock()
	}
}
