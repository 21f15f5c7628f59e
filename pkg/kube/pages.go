package kube

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pageSize is how many objects one answer carries: a few megabytes of pods.
const pageSize = 500

// Pages lists what may be thousands of objects page by page, calling each after the list was filled with the next page. It
// always asks the API server: a watch would keep them all.
func (c *Client) Pages(ctx context.Context, list client.ObjectList, each func(), opts ...client.ListOption) error {
	opts = append(opts, client.Limit(pageSize))
	for {
		if err := c.Client.List(ctx, list, opts...); err != nil {
			return err
		}
		each()
		next := list.GetContinue()
		if next == "" {
			return nil
		}
		opts = append(opts[:len(opts):len(opts)], client.Continue(next))
	}
}
