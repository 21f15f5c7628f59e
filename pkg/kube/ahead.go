package kube

import (
	"context"
	"sync"
)

// Ahead asks for the lists of several kinds side by side, where ctx is one of ReadOnce: who then reads them one after the
// other waits for the slowest only. Anywhere else it does nothing.
func (c *Client) Ahead(ctx context.Context, kinds ...Kind) {
	o := onceFrom(ctx)
	if o == nil || watchFrom(ctx) != nil {
		return
	}
	var wg sync.WaitGroup
	for _, k := range kinds {
		// Whoever reads the list is told the error.
		wg.Go(func() { _, _ = o.read(ctx, feedKey{server: c.server, resource: k.Resource(), list: true}) })
	}
	wg.Wait()
}
