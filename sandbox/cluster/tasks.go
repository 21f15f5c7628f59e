package cluster

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// tasks are the goroutines that live as long as the sandbox.
type tasks struct{ wg sync.WaitGroup }

// run starts f, which must return soon after its context ends.
func (p *tasks) run(ctx context.Context, f func(ctx context.Context)) {
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		f(ctx)
	}()
}

func (p *tasks) wait() { p.wg.Wait() }

// runParallel runs steps concurrently and returns the first error. It cancels the other steps.
func runParallel(ctx context.Context, steps ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, step := range steps {
		group.Go(func() error { return step(ctx) })
	}
	return group.Wait()
}
