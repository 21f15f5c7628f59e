package transport

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// PagingClient lists in pages if a list is too large for one answer.
type PagingClient struct{ client.Client }

// List implements client.Reader.
func (c PagingClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := client.ListOptionsOf(opts)
	err := c.Client.List(ctx, list, opts...)
	if !pageTooLarge(err) || o.Limit > 0 {
		return err
	}
	if o.ResourceVersion == AnyVersion {
		o.ResourceVersion = "" // the cache has no pages
	}
	var all []runtime.Object
	err = InPages(ctx, true, func(ctx context.Context, limit int64, from string) (string, int, error) {
		o.Limit, o.Continue = limit, from
		// Each page needs its own list, because the decoder reuses objects.
		page := emptyList(list)
		if err := c.Client.List(ctx, page, &o); err != nil {
			return "", 0, err
		}
		list.SetResourceVersion(page.GetResourceVersion())
		items, err := meta.ExtractList(page)
		all = append(all, items...)
		return page.GetContinue(), len(items), err
	})
	if err != nil {
		return err
	}
	return meta.SetList(list, all)
}

// emptyList returns an empty list of the same kind.
func emptyList(list client.ObjectList) client.ObjectList {
	kind := list.GetObjectKind().GroupVersionKind()
	out := reflect.New(reflect.TypeOf(list).Elem()).Interface().(client.ObjectList)
	out.GetObjectKind().SetGroupVersionKind(kind)
	return out
}

// ListOf lists with the dynamic client, in pages if the list is too large for one answer.
func ListOf(
	ctx context.Context, from dynamic.ResourceInterface, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	all, err := from.List(ctx, o)
	if !pageTooLarge(err) {
		return all, err
	}
	all = &unstructured.UnstructuredList{}
	return all, InPages(ctx, true, func(ctx context.Context, limit int64, token string) (string, int, error) {
		l, err := from.List(ctx, Paged(o, limit, token))
		if err != nil {
			return "", 0, err
		}
		all.Object, all.Items = l.Object, append(all.Items, l.Items...)
		return l.GetContinue(), len(l.Items), nil
	})
}

// MetadataOf lists the metadata of objects, in pages if the list is too large for one answer.
func MetadataOf(
	ctx context.Context, from metadata.ResourceInterface, o metav1.ListOptions,
) (*metav1.PartialObjectMetadataList, error) {
	all, err := from.List(ctx, o)
	if !pageTooLarge(err) {
		return all, err
	}
	all = &metav1.PartialObjectMetadataList{}
	return all, InPages(ctx, true, func(ctx context.Context, limit int64, token string) (string, int, error) {
		l, err := from.List(ctx, Paged(o, limit, token))
		if err != nil {
			return "", 0, err
		}
		all.Items = append(all.Items, l.Items...)
		return l.GetContinue(), len(l.Items), nil
	})
}
