package kube

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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
	r.ask.Do(func() { r.items, r.err = key.server.list(ctx, key) })
	return r.items, r.err
}

// path returns what ask says about the path of a server, asking once.
func (o *once) path(server *server, path string, ask func() ([]byte, error)) ([]byte, error) {
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

// namesOf returns what ask says about the key, asking once.
func (o *once) namesOf(key feedKey, ask func() ([]types.NamespacedName, error)) ([]types.NamespacedName, error) {
	o.mu.Lock()
	answer := o.names[key]
	if answer == nil {
		answer = sync.OnceValues(ask)
		if o.names == nil {
			o.names = map[feedKey]func() ([]types.NamespacedName, error){}
		}
		o.names[key] = answer
	}
	o.mu.Unlock()
	return answer()
}
