package informer

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ReadOnce returns a context under which every object and every list is read once; later readers get the same answer.
// Do not wait or write under it.
//
// A read lives as long as ctx, even if its first reader leaves early. A context of ReadOnce is returned unchanged.
func ReadOnce(ctx context.Context) context.Context {
	if CacheFrom(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, cacheKey{}, newCache(ctx))
}

type cacheKey struct{}

// Cache keeps the answers of one run and asks for each once.
type Cache struct {
	run   context.Context //nolint:containedctx // a shared read lives as long as the run, not as its first reader
	mu    sync.Mutex
	reads map[Key]*read[[]*unstructured.Unstructured]
	// paths are the reads of raw paths, such as /version.
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

// Read returns the objects of key. For a single object that does not exist it returns the API server's error.
func (c *Cache) Read(ctx context.Context, key Key) ([]*unstructured.Unstructured, error) {
	return shared(ctx, c, c.reads, key, func(run context.Context) ([]*unstructured.Unstructured, error) {
		return key.Server.list(run, key)
	})
}

// Path returns the result of ask for the path of a server, and calls it once.
func (c *Cache) Path(
	ctx context.Context, server *Server, path string, ask func(context.Context) ([]byte, error),
) ([]byte, error) {
	return shared(ctx, c, c.paths, Key{Server: server, Name: path}, ask)
}

// NamesOf returns the result of ask for the key, and calls it once.
func (c *Cache) NamesOf(
	ctx context.Context, key Key, ask func(context.Context) ([]types.NamespacedName, error),
) ([]types.NamespacedName, error) {
	return shared(ctx, c, c.names, key, ask)
}

// read is one read. Its answer is there when done is closed.
type read[T any] struct {
	done   chan struct{}
	answer T
	err    error
}

// shared returns the result of ask for key, and calls it once for all readers. ask runs under the run's context; a
// reader whose ctx ends gets that error, and the others still get the answer.
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
