package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
)

// Names lists the objects of a kind in all namespaces by name only, page by page, in the API server's order: of a
// thousand hosted clusters that is a few hundred kilobytes instead of megabytes. Under a context of ReadOnce it asks
// once. A kind that is not registered is IsKindMissing.
func (c *Client) Names(ctx context.Context, k Kind) ([]types.NamespacedName, error) {
	ask := func(ctx context.Context) ([]types.NamespacedName, error) { return c.names(ctx, k) }
	if o := informer.CacheFrom(ctx); o != nil && informer.WatchFrom(ctx) == nil && c.plan == nil {
		return o.NamesOf(ctx, informer.Key{Server: c.server, Resource: k.Resource(), List: true}, ask)
	}
	return ask(ctx)
}

func (c *Client) names(ctx context.Context, k Kind) ([]types.NamespacedName, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(k.NewList().GroupVersionKind())
	var names []types.NamespacedName
	collect := func() {
		for i := range list.Items {
			names = append(names, types.NamespacedName{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name})
		}
	}
	if informer.WatchFrom(ctx) != nil || c.plan != nil {
		// Under a watch and in a plan, what is read is more than what the API server says.
		err := c.List(ctx, list)
		collect()
		return names, err
	}
	err := c.ListPages(ctx, list, collect)
	return names, err
}
