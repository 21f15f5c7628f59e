package kube

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// ReadOnce returns a context under which every object and every list is asked for once: whoever reads it again is told the
// same. It is for looking at a cluster at one moment, as many steps do that read the same objects side by side; it must not
// be waited under, nor written. A context that is one already is returned as it is.
func ReadOnce(ctx context.Context) context.Context {
	if onceFrom(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, onceKey{}, &once{reads: map[feedKey]*onceRead{}})
}

type onceKey struct{}

// once is what has been asked for under one context.
type once struct {
	mu    sync.Mutex
	reads map[feedKey]*onceRead
	// paths are what is asked for by its path alone, as in ServerVersion.
	paths map[feedKey]func() ([]byte, error)
	names map[feedKey]func() ([]types.NamespacedName, error)
}

type onceRead struct {
	ask   sync.Once
	items []*unstructured.Unstructured
	err   error
}

func onceFrom(ctx context.Context) *once {
	o, _ := ctx.Value(onceKey{}).(*once)
	return o
}

// read returns the objects of key: of a single object it is that one, or the API server's error.
func (o *once) read(ctx context.Context, key feedKey) ([]*unstructured.Unstructured, error) {
	o.mu.Lock()
	r := o.reads[key]
	if r == nil {
		r = &onceRead{}
		o.reads[key] = r
	}
	o.mu.Unlock()
	r.ask.Do(func() { r.items, r.err = key.server.ask(ctx, key) })
	return r.items, r.err
}

// path returns what ask says about the path of a server, asking once.
func (o *once) path(server *Client, path string, ask func() ([]byte, error)) ([]byte, error) {
	key := feedKey{server: server, name: path}
	o.mu.Lock()
	answer := o.paths[key]
	if answer == nil {
		answer = sync.OnceValues(ask)
		if o.paths == nil {
			o.paths = map[feedKey]func() ([]byte, error){}
		}
		o.paths[key] = answer
	}
	o.mu.Unlock()
	return answer()
}

// ask goes to the API server.
func (c *Client) ask(ctx context.Context, key feedKey) ([]*unstructured.Unstructured, error) {
	var resource dynamic.ResourceInterface = c.dynamic.Resource(key.resource)
	if key.namespace != "" {
		resource = c.dynamic.Resource(key.resource).Namespace(key.namespace)
	}
	if !key.list {
		u, err := resource.Get(ctx, key.name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return []*unstructured.Unstructured{u}, nil
	}
	o := metav1.ListOptions{LabelSelector: key.labels, FieldSelector: key.fields, ResourceVersion: key.version}
	l, err := listOf(ctx, resource, o)
	if err != nil {
		return nil, err
	}
	items := make([]*unstructured.Unstructured, 0, len(l.Items))
	for i := range l.Items {
		items = append(items, &l.Items[i])
	}
	return items, nil
}

// Ahead asks for the lists of several kinds side by side, where ctx is one of ReadOnce: who then reads them one after the
// other waits for the slowest only. Anywhere else it does nothing.
func (c *Client) Ahead(ctx context.Context, kinds ...Kind) {
	o := onceFrom(ctx)
	if o == nil || watchFrom(ctx) != nil {
		return
	}
	var wg sync.WaitGroup
	for _, k := range kinds {
		// Whoever reads the list is told the error.
		wg.Go(func() { _, _ = o.read(ctx, feedKey{server: c, resource: k.Resource(), list: true}) })
	}
	wg.Wait()
}
