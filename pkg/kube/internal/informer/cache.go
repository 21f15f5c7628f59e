package informer

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ReadOnce returns a context under which every object and every list is asked for once: each further reader gets the
// same answer. It is for looking at a cluster at one moment; it must not be waited under, nor written. What is asked
// lives as long as ctx, also where its first reader leaves early. A context of ReadOnce is returned as it is.
func ReadOnce(ctx context.Context) context.Context {
	if CacheFrom(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, cacheKey{}, newCache(ctx))
}

type cacheKey struct{}

// Cache keeps the answers of one run, and asks for each once.
type Cache struct {
	run   context.Context //nolint:containedctx // a shared read lives as long as the run, not as its first reader
	mu    sync.Mutex
	reads map[Key]*read[[]*unstructured.Unstructured]
	// paths are what is asked for by its path alone, such as /version.
	paths map[Key]*read[[]byte]
	names map[Key]*read[[]types.NamespacedName]
}

func newCache(run context.Context) *Cache {
	return &Cache{
		run:   run,
		reads: map[Key]*read[[]*unstructured.Unstructured]{},
		paths: map[Key]*read[[]byte]{},
		names: map[Key]*read[[]types.NamespacedName]{},
	}
}

// CacheFrom returns the Cache of a context of ReadOnce, nil for any other.
func CacheFrom(ctx context.Context) *Cache {
	c, _ := ctx.Value(cacheKey{}).(*Cache)
	return c
}

// Read returns the objects of key: of a single object it is that one, or the API server's error.
func (c *Cache) Read(ctx context.Context, key Key) ([]*unstructured.Unstructured, error) {
	return shared(ctx, c, c.reads, key, func(run context.Context) ([]*unstructured.Unstructured, error) {
		return key.Server.list(run, key)
	})
}

// Path returns what ask says about the path of a server, asking once.
func (c *Cache) Path(
	ctx context.Context, server *Server, path string, ask func(context.Context) ([]byte, error),
) ([]byte, error) {
	return shared(ctx, c, c.paths, Key{Server: server, Name: path}, ask)
}

// NamesOf returns what ask says about the key, asking once.
func (c *Cache) NamesOf(
	ctx context.Context, key Key, ask func(context.Context) ([]types.NamespacedName, error),
) ([]types.NamespacedName, error) {
	return shared(ctx, c, c.names, key, ask)
}

// read is one question and, once done is closed, its answer.
type read[T any] struct {
	done   chan struct{}
	answer T
	err    error
}

// shared returns what ask says about key, asking once for all readers. The question runs under the run's context; a
// reader whose own ctx ends gets that error and leaves the answer to the others.
func shared[T any](
	ctx context.Context, c *Cache, reads map[Key]*read[T], key Key, ask func(context.Context) (T, error),
) (T, error) {
	c.mu.Lock()
	r := reads[key]
	if r == nil {
		r = &read[T]{done: make(chan struct{})}
		reads[key] = r
		go func() {
			defer close(r.done)
			r.answer, r.err = ask(c.run)
		}()
	}
	c.mu.Unlock()
	select {
	case <-r.done:
		return r.answer, r.err
	default:
	}
	select {
	case <-r.done:
		return r.answer, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
