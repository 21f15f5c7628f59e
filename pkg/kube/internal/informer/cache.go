package informer

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
	if CacheFrom(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, cacheKey{}, &Cache{reads: map[Key]*cachedRead{}})
}

type cacheKey struct{}

// Cache is what has been asked for under one context.
type Cache struct {
	mu    sync.Mutex
	reads map[Key]*cachedRead
	// paths are what is asked for by its path alone, as in ServerVersion.
	paths map[Key]func() ([]byte, error)
	names map[Key]func() ([]types.NamespacedName, error)
}

type cachedRead struct {
	ask   sync.Once
	items []*unstructured.Unstructured
	err   error
}

func CacheFrom(ctx context.Context) *Cache {
	o, _ := ctx.Value(cacheKey{}).(*Cache)
	return o
}

// Read returns the objects of key: of a single object it is that one, or the API server's error.
func (o *Cache) Read(ctx context.Context, key Key) ([]*unstructured.Unstructured, error) {
	o.mu.Lock()
	r := o.reads[key]
	if r == nil {
		r = &cachedRead{}
		o.reads[key] = r
	}
	o.mu.Unlock()
	r.ask.Do(func() { r.items, r.err = key.Server.list(ctx, key) })
	return r.items, r.err
}

// Path returns what ask says about the path of a server, asking once.
func (o *Cache) Path(server *Server, path string, ask func() ([]byte, error)) ([]byte, error) {
	key := Key{Server: server, Name: path}
	o.mu.Lock()
	answer := o.paths[key]
	if answer == nil {
		answer = sync.OnceValues(ask)
		if o.paths == nil {
			o.paths = map[Key]func() ([]byte, error){}
		}
		o.paths[key] = answer
	}
	o.mu.Unlock()
	return answer()
}

// NamesOf returns what ask says about the key, asking once.
func (o *Cache) NamesOf(key Key, ask func() ([]types.NamespacedName, error)) ([]types.NamespacedName, error) {
	o.mu.Lock()
	answer := o.names[key]
	if answer == nil {
		answer = sync.OnceValues(ask)
		if o.names == nil {
			o.names = map[Key]func() ([]types.NamespacedName, error){}
		}
		o.names[key] = answer
	}
	o.mu.Unlock()
	return answer()
}
