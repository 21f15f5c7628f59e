package kube

import (
	"context"
	"sync"
)

// Glance lets the first looks of a run's steps share what they read (ReadOnce), for as long as the run neither writes nor waits: of a cluster that is
// ready, each object is read once, however many steps look at it. After that, each look is a new one.
type Glance struct {
	mu     sync.Mutex
	shared *once
	over   bool
}

// Context is for one step's first look.
func (g *Glance) Context(ctx context.Context) context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return ReadOnce(ctx)
	}
	if g.shared == nil {
		g.shared = &once{reads: map[feedKey]*onceRead{}}
	}
	return context.WithValue(ctx, onceKey{}, g.shared)
}

// End is called before the run writes or waits.
func (g *Glance) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
}
