package kube

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
)

// Selection is what a list or a watch is about.
type Selection struct {
	Kind Kind
	// Namespace is empty for all namespaces, and for kinds that have none.
	Namespace string
	// Name is that of a single object; empty means all that Labels choose.
	Name string
	// Labels choose objects; nil chooses all.
	Labels labels.Selector
}

// Changes begins to follow the objects of a selection for one step's Watch. They are new at first, each of them. The
// Watch's Changed receives when there is something to Take.
func (c *Client) Changes(w *informer.Watch, s Selection) *informer.Changes {
	key := informer.Key{Server: c.server, Resource: s.Kind.Resource(), Namespace: s.Namespace, Name: s.Name,
		List: s.Name == "", NoManagedFields: true}
	if s.Labels != nil {
		key.Labels = s.Labels.String()
	}
	return w.Changes(key)
}

// NewInformers returns a Mirror, for reads of this client and of any other, that lives until ctx ends or Close is
// called.
func (*Client) NewInformers(ctx context.Context) *informer.Informers { return informer.New(ctx) }

// Prefetch asks for the lists of several kinds side by side, where ctx is one of ReadOnce: who then reads them one
// after the other waits for the slowest only. Anywhere else it does nothing.
func (c *Client) Prefetch(ctx context.Context, kinds ...Kind) {
	o := informer.CacheFrom(ctx)
	if o == nil || informer.WatchFrom(ctx) != nil {
		return
	}
	var wg sync.WaitGroup
	for _, k := range kinds {
		// Whoever reads the list is told the error.
		wg.Go(func() { _, _ = o.Read(ctx, informer.Key{Server: c.server, Resource: k.Resource(), List: true}) })
	}
	wg.Wait()
}
