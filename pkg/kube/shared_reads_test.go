package kube_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// A reader whose time is over leaves a shared read to the others: they get the answer, not its deadline.
func TestASharedReadOutlivesItsFirstReader(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 8), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/version":
			_, _ = io.WriteString(w, `{"gitVersion":"v1.33.2"}`)
		case "/api/v1/namespaces/a":
			_, _ = io.WriteString(w, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}`)
		default:
			_, _ = io.WriteString(w, `{"apiVersion":"v1","kind":"NodeList","metadata":{},"items":[]}`)
		}
	}))
	t.Cleanup(s.Close)
	c, err := kube.New(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	run := t.Context()
	once := c.Reader(informer.NewCache(run))
	reads := map[string]func(context.Context) error{
		"an object": func(ctx context.Context) error {
			return once.Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Namespace{})
		},
		"a list": func(ctx context.Context) error { return once.List(ctx, &corev1.NodeList{}) },
		"names": func(ctx context.Context) error {
			_, err := once.Names(ctx, kube.CustomResourceDefinition)
			return err
		},
		"the version": func(ctx context.Context) error { _, err := once.ServerVersion(ctx); return err },
	}
	type outcome struct {
		name string
		err  error
	}
	second := make(chan outcome, len(reads))
	for name, read := range reads {
		brief, cancel := context.WithCancel(run)
		first := make(chan error, 1)
		go func() { first <- read(brief) }()
		<-asked
		go func() { second <- outcome{name, read(run)} }()
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the first reader got %v", name, err)
		}
	}
	close(answer)
	for range reads {
		select {
		case got := <-second:
			if got.err != nil {
				t.Errorf("%s: the second reader got %v", got.name, got.err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("a second reader waits without an answer")
		}
	}
}
