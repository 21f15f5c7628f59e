package kube

import (
	"context"
	"time"
)

const (
	// againAtOnce is how many questions may be asked again at the same time. What was under way together on one connection fails together; were it to come
	// back together, the next cut would end all of it again.
	againAtOnce = 2
	// againWait is how long a question waits for its turn, should those before it get no answer.
	againWait = 2 * time.Second
)

// turns are the places of questions that are asked again.
type turns chan struct{}

func newTurns() turns { return make(turns, againAtOnce) }

// take waits for a place, or for as long as is bearable without one. The place is given back by leave, which must be called in any case.
func (t turns) take(ctx context.Context) (leave func()) {
	bearable := time.NewTimer(againWait)
	defer bearable.Stop()
	select {
	case t <- struct{}{}:
		return func() { <-t }
	case <-bearable.C:
	case <-ctx.Done():
	}
	return func() {}
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
