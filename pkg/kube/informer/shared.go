package informer

import (
	"context"
	"sync"
)

// SharedReads lets the first checks of a run's steps share one read cache, so that a ready cluster costs one read per
// object. It ends when the run writes or waits; each later check gets its own cache.
type SharedReads struct {
	mu     sync.Mutex
	shared *Cache
	ended  bool
}

// NewSharedReads returns SharedReads whose reads end with the context of the run.
func NewSharedReads(run context.Context) *SharedReads { return &SharedReads{shared: NewCache(run)} }

// Cache returns the Cache for the first check of a step, which runs under ctx.
func (s *SharedReads) Cache(ctx context.Context) *Cache {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return NewCache(ctx)
	}
	return s.shared
}

// End stops the sharing. Call it before the run writes or waits.
func (s *SharedReads) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
