package informer

import (
	"context"
	"sync"
)

// SharedReads lets the first looks of a run's steps share what they read (ReadOnce), for as long as the run neither writes nor waits: of a cluster that is
// ready, each object is read once, however many steps look at it. After that, each look is a new one.
type SharedReads struct {
	mu     sync.Mutex
	shared *Cache
	over   bool
}

// Context is for one step's first look.
func (g *SharedReads) Context(ctx context.Context) context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return ReadOnce(ctx)
	}
	if g.shared == nil {
		g.shared = &Cache{reads: map[Key]*cachedRead{}}
	}
	return context.WithValue(ctx, cacheKey{}, g.shared)
}

// End is called before the run writes or waits.
func (g *SharedReads) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
}
