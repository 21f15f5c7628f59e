package kube

import (
	"context"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

// ListPages fills the list with one page after the other and calls each after every page. It always asks the API
// server, and repeats a page that exceeds the Limits with fewer objects; it fails with the error of a page, or with
// *TooLargeError.
func (c *Client) ListPages(ctx context.Context, list client.ObjectList, each func(), opts ...client.ListOption) error {
	kind := list.GetObjectKind().GroupVersionKind()
	return transport.InPages(ctx, true, func(ctx context.Context, most int64, from string) (string, int, error) {
		// The decoder would reuse the objects of the page before.
		reflect.ValueOf(list).Elem().SetZero()
		list.GetObjectKind().SetGroupVersionKind(kind)
		options := slices.Concat(opts, []client.ListOption{client.Limit(most)})
		if from != "" {
			options = append(options, client.Continue(from))
		}
		if err := c.Client.List(ctx, list, options...); err != nil {
			return "", 0, err
		}
		each()
		return list.GetContinue(), meta.LenList(list), nil
	})
}

// FromCache is a ListOption of Client.List for objects that change seldom, or that are only displayed. The API server
// answers from its watch cache (resourceVersion 0), which may be older than what this client has read or written.
//
// Any other list waits until the cache has all earlier writes, whatever their kind: 20 to 100 ms on a busy server
// (ConsistentListFromCache, on since Kubernetes 1.31). Under a Watch the option has no effect.
type FromCache struct{}

// ApplyToList implements client.ListOption.
func (FromCache) ApplyToList(o *client.ListOptions) {
	o.Raw = &metav1.ListOptions{ResourceVersion: transport.AnyVersion}
}
