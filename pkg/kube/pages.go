package kube

import (
	"context"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Pages lists what may be thousands of objects page by page, calling each after the list was filled with the next
// page. It always asks the API server: a watch would keep them all. A page that is larger than the Limits is asked
// for again with fewer objects. It fails with the error of a page, or with *TooLargeError.
func (c *Client) Pages(ctx context.Context, list client.ObjectList, each func(), opts ...client.ListOption) error {
	kind := list.GetObjectKind().GroupVersionKind()
	return inPages(ctx, true, func(ctx context.Context, most int64, from string) (string, int, error) {
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
