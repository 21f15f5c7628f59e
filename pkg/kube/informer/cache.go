package informer

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Cache reads every object and every list once; later readers get the same answer. It never shows a change, so do not
// wait with it. It implements step.Reads.
type Cache struct {
	run   context.Context //nolint:containedctx // a shared read lives as long as the run, not as its first reader
	mu    sync.Mutex
	reads map[Key]*read[[]*unstructured.Unstructured]
	// paths has the reads of raw paths, such as /version.
	paths map[Key]*read[[]byte]
	names map[Key]*read[[]types.NamespacedName]
	// derived has results of reads whose objects are not kept, by a name.
	derived map[Key]*read[any]
}

// NewCache returns an empty Cache. Its reads use the context of the run, so they continue if their first reader is
// canceled.
func NewCache(run context.Context) *Cache {
	return &Cache{
		run:     run,
		reads:   map[Key]*read[[]*unstructured.Unstructured]{},
		paths:   map[Key]*read[[]byte]{},
		names:   map[Key]*read[[]types.NamespacedName]{},
		derived: map[Key]*read[any]{},
	}
}

// String implements step.Reads.
func (*Cache) String() string { return "cached" }

// Read returns the objects of key that match where. For a single object that does not exist it returns the API server's
// error.
func (c *Cache) Read(ctx context.Context, key Key, where FieldFilter) ([]*unstructured.Unstructured, error) {
	items, err := shared(ctx, c, c.reads, key, func(run context.Context) ([]*unstructured.Unstructured, error) {
		return key.Server.list(run, key)
	})
	return where.Filter(items), err
}

// Has reports whether the objects of key have been read or are being read.
func (c *Cache) Has(key Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads[key] != nil
}

// Path returns the result of load for a path of a server, and calls it once.
func (c *Cache) Path(
	ctx context.Context, server *Server, path string, load func(context.Context) ([]byte, error)) ([]byte, error) {
	return shared(ctx, c, c.paths, Key{Server: server, Name: path}, load)
}

// NamesOf returns the result of load for the key, and calls it once.
func (c *Cache) NamesOf(
	ctx context.Context, key Key, load func(context.Context) ([]types.NamespacedName, error),
) ([]types.NamespacedName, error) {
	return shared(ctx, c, c.names, key, load)
}

// Once returns the result of load for a name, and calls it once for each server.
func (c *Cache) Once(
	ctx context.Context, server *Server, name string, load func(context.Context) (any, error)) (any, error) {
	return shared(ctx, c, c.derived, Key{Server: server, Name: name}, load)
}

// read is one read. Its answer is valid after done is closed.
type read[T any] struct {
	done   chan struct{}
	answer T
	err    error
}

// shared returns the result of load for key, and calls it once for all readers. load runs with the run's context: a
// reader whose ctx ends gets that error, and the others still get the answer.
func shared[T any](
	ctx context.Context, c *Cache, reads map[Key]*read[T], key Key, load func(context.Context) (T, error)) (T, error) {
	c.mu.Lock()
	r := reads[key]
	if r == nil {
		r = &read[T]{done: make(chan struct{})}
		reads[key] = r
		go func() {
			defer close(r.done)
			r.answer, r.err = load(c.run)
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
