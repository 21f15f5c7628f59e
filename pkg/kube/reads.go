package kube

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
)

// Selection selects the objects of a list or watch.
type Selection struct {
	Kind Kind
	// Namespace is empty for all namespaces, and for cluster-scoped kinds.
	Namespace string
	// Name selects a single object. Empty means all that match Labels.
	Name string
	// Labels selects objects; nil selects all.
	Labels labels.Selector
}

// Changes starts to follow the objects of a selection; at first each of them is new. The Watch's Changed receives when
// Take has something to return.
func (c *Client) Changes(w *informer.Watch, s Selection) *informer.Changes {
	key := informer.Key{Server: c.server, Resource: s.Kind.Resource(), Namespace: s.Namespace, Name: s.Name,
		List: s.Name == "", NoManagedFields: true}
	if s.Labels != nil {
		key.Labels = s.Labels.String()
	}
	return w.Changes(key)
}

// NewInformers returns Informers, for this client and any other. They live until ctx ends or Close is called.
func (*Client) NewInformers(ctx context.Context) *informer.Informers { return informer.New(ctx) }

// Prefetch lists several kinds in parallel into the cache of ReadOnce, so that later reads wait only for the slowest.
// Under any other context it does nothing.
func (c *Client) Prefetch(ctx context.Context, kinds ...Kind) {
	o := informer.CacheFrom(ctx)
	if o == nil || informer.WatchFrom(ctx) != nil {
		return
	}
	var wg sync.WaitGroup
	for _, k := range kinds {
		// The reader of the list gets the error.
		wg.Go(func() { _, _ = o.Read(ctx, informer.Key{Server: c.server, Resource: k.Resource(), List: true}) })
	}
	wg.Wait()
}
