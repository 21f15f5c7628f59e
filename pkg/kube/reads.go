package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// Selection selects the objects of a list or watch.
type Selection struct {
	Kind Kind
	// Namespace is empty for all namespaces, and for cluster-scoped kinds.
	Namespace string
	// Name selects a single object. If empty, Labels select the objects.
	Name string
	// Labels selects objects; nil selects all.
	Labels labels.Selector
	// Decoder creates the Value of each Change; nil keeps whole objects.
	Decoder *informer.Decoder
}

// Changes starts to follow the objects of a selection; at first each object is reported as new. The Watch's Changed
// receives when Take has something to return.
func (c *Client) Changes(w *informer.Watch, s Selection) *informer.Changes {
	key := informer.Key{Server: c.server, Resource: s.Kind.Resource(), Namespace: s.Namespace, Name: s.Name,
		List: s.Name == "", NoManagedFields: true, Decoder: s.Decoder}
	if s.Labels != nil {
		key.Labels = s.Labels.String()
	}
	return w.Changes(key)
}

// NewInformers returns Informers for any number of clients. They stop when ctx ends or Close is called.
func (*Client) NewInformers(ctx context.Context) *informer.Informers { return informer.New(ctx) }

// Names lists the names of all objects of a kind, page by page. For a thousand hosted clusters that is some hundred
// kilobytes instead of megabytes. The error for an unknown kind is IsKindMissing.
func (c *Client) Names(ctx context.Context, k Kind) ([]types.NamespacedName, error) {
	list := namesList(k)
	if c.plan != nil {
		// The API server does not know the planned objects.
		err := c.List(ctx, list)
		return namesOf(list), err
	}
	var names []types.NamespacedName
	err := c.ListPages(ctx, list, func() { names = append(names, namesOf(list)...) })
	return names, err
}

func namesList(k Kind) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(k.NewList().GroupVersionKind())
	return list
}

func namesOf(list *metav1.PartialObjectMetadataList) []types.NamespacedName {
	var names []types.NamespacedName
	for i := range list.Items {
		names = append(names, types.NamespacedName{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name})
	}
	return names
}
