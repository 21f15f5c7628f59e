package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
)

// Names lists the names of all objects of a kind, page by page: for a thousand hosted clusters this is some hundred
// kilobytes instead of megabytes. Under ReadOnce it reads once; an unknown kind is IsKindMissing.
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
		// Under a watch and in a plan, the API server's list is not the whole truth.
		err := c.List(ctx, list)
		collect()
		return names, err
	}
	err := c.ListPages(ctx, list, collect)
	return names, err
}
