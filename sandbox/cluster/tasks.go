package cluster

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// parts are the goroutines that live as long as the sandbox.
type parts struct{ wg sync.WaitGroup }

// run starts f, which must return soon after its context ends.
func (p *parts) run(ctx context.Context, f func(ctx context.Context)) {
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		f(ctx)
	}()
}

func (p *parts) wait() { p.wg.Wait() }

// together runs steps side by side and returns the first error; the others are told to stop.
func together(ctx context.Context, steps ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, step := range steps {
		group.Go(func() error { return step(ctx) })
	}
	return group.Wait()
}
