package informer

import (
	"context"
	"sync"
)

// SharedReads lets the first looks of a run's steps share what they read (ReadOnce), until the run writes or waits: of
// a cluster that is ready, each object is read once, however many steps look at it. After that, each look is a new one.
type SharedReads struct {
	mu     sync.Mutex
	shared *Cache
	ended  bool
}

// NewSharedReads returns SharedReads for a run. Its reads end with the context of the run.
func NewSharedReads(run context.Context) *SharedReads { return &SharedReads{shared: newCache(run)} }

// Context is for one step's first look.
func (s *SharedReads) Context(ctx context.Context) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return ReadOnce(ctx)
	}
	return context.WithValue(ctx, cacheKey{}, s.shared)
}

// End is called before the run writes or waits.
func (s *SharedReads) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
