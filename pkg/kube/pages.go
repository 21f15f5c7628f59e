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

// ListPages lists what may be thousands of objects page by page, calling each after the list was filled with the next
// page. It always asks the API server: a watch would keep them all. A page that is larger than the Limits is asked
// for again with fewer objects. It fails with the error of a page, or with *TooLargeError.
func (c *Client) ListPages(ctx context.Context, list client.ObjectList, each func(), opts ...client.ListOption) error {
	kind := list.GetObjectKind().GroupVersionKind()
	return transport.InPages(ctx, true, func(ctx context.Context, most int64, from string) (string, int, error) {
		// A decoder would write into the objects of the page before.
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

// FromCache is a ListOption of Client.List, for what changes seldom, or is only told of: the answer may be what the API
// server has in its cache (resourceVersion 0). It may be older than what this client has read or written. Any other
// list waits until the cache is known to have everything that was written before, whatever it was about: 20 to 100 ms
// where something is written all the time (ConsistentListFromCache, on since Kubernetes 1.31: the API server asks etcd
// how far it is no more than ten times a second). Under a Watch it makes no difference.
type FromCache struct{}

// ApplyToList implements client.ListOption.
func (FromCache) ApplyToList(o *client.ListOptions) {
	o.Raw = &metav1.ListOptions{ResourceVersion: transport.AnyVersion}
}
