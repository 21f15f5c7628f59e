package informer

import (
	"context"
	"sync"
)

// SharedReads makes the first checks of a run's steps share one Cache, so that a cluster that is already ready costs
// one read per object. Sharing ends when the run writes or waits; each later check gets its own Cache.
type SharedReads struct {
	mu     sync.Mutex
	shared *Cache
	ended  bool
}

// NewSharedReads returns SharedReads. Its reads use the context of the run.
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

// End stops the sharing. The caller must call it before the run writes or waits.
func (s *SharedReads) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
