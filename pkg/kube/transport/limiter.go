package transport

import (
	"context"
	"time"
)

const (
	// maxParallelRetries is the maximum number of parallel retries. Requests on one connection fail together, and would
	// fail together again.
	maxParallelRetries = 2
	// maxRetryWait is the maximum time a retry waits for a free slot.
	maxRetryWait = 2 * time.Second
)

// limiter limits the parallel retries.
type limiter chan struct{}

func newLimiter() limiter { return make(limiter, maxParallelRetries) }

// acquire waits for a slot, at most maxRetryWait. The caller must call release in any case.
func (t limiter) acquire(ctx context.Context) (release func()) {
	timer := time.NewTimer(maxRetryWait)
	defer timer.Stop()
	select {
	case t <- struct{}{}:
		return func() { <-t }
	case <-timer.C:
	case <-ctx.Done():
	}
	return func() {}
}

// Sleep returns after d, or when ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
