package transport

import (
	"context"
	"time"
)

const (
	// maxParallelRetries is how many questions may be asked again at the same time. What was under way together on one
	// connection fails together; were it to come back together, the next cut would end all of it again.
	maxParallelRetries = 2
	// maxRetryWait is how long a question waits for its turn, should those before it get no answer.
	maxRetryWait = 2 * time.Second
)

// limiter are the places of questions that are asked again.
type limiter chan struct{}

func newLimiter() limiter { return make(limiter, maxParallelRetries) }

// acquire waits for a place, or for as long as is bearable without one. The place is given back by leave, which must be
// called in any case.
func (t limiter) acquire(ctx context.Context) (leave func()) {
	bearable := time.NewTimer(maxRetryWait)
	defer bearable.Stop()
	select {
	case t <- struct{}{}:
		return func() { <-t }
	case <-bearable.C:
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
