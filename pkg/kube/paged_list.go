package kube

import (
	"context"
	"io"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// ListPages fills the list with one page after the other and calls each after every page. It always reads from the API
// server, and retries a page that exceeds the Limits with fewer objects. It returns the error of a page, or
// *TooLargeError.
func (c *Client) ListPages(ctx context.Context, list client.ObjectList, each func(), opts ...client.ListOption) error {
	kind := list.GetObjectKind().GroupVersionKind()
	return transport.InPages(ctx, true, func(ctx context.Context, limit int64, from string) (string, int, error) {
		// Otherwise the decoder would reuse the objects of the previous page.
		reflect.ValueOf(list).Elem().SetZero()
		list.GetObjectKind().SetGroupVersionKind(kind)
		options := slices.Concat(opts, []client.ListOption{client.Limit(limit)})
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

// ListDecoded lists page by page and decodes each object into the caller's type T, so that fields outside of T use no
// memory. It always reads from the API server and retries an interrupted page; its errors are those of ListPages.
func ListDecoded[T any](ctx context.Context, c *Client, k Kind, each func(*T), opts ...client.ListOption) error {
	l, err := newPagedList(c, k, opts)
	if err != nil {
		return err
	}
	ctx = transport.Unbuffered(ctx)
	return transport.InPages(ctx, false, func(ctx context.Context, limit int64, from string) (string, int, error) {
		items, next, err := transport.DecodedPage[T](ctx, func() (io.ReadCloser, error) {
			return l.page(limit, from).Stream(ctx)
		})
		if err != nil {
			return "", 0, err
		}
		for _, item := range items {
			each(item)
		}
		return next, len(items), nil
	})
}

// TableObject selects what the API server includes of the object in each row of a table.
type TableObject string

// The values of the API's includeObject.
const (
	TableNoObject TableObject = "None"
	TableMetadata TableObject = "Metadata"
	TableWhole    TableObject = "Object"
)

// ListTable lists page by page the table that the API server makes of the objects, with the columns of their CRD. A
// server without tables answers with the objects. It retries like ListDecoded, and also returns the error of each.
func ListTable[T any](ctx context.Context, c *Client, k Kind, object TableObject,
	each func(*transport.TablePage[T]) error, opts ...client.ListOption) error {
	l, err := newPagedList(c, k, opts)
	if err != nil {
		return err
	}
	ctx = transport.Unbuffered(ctx)
	return transport.InPages(ctx, false, func(ctx context.Context, limit int64, from string) (string, int, error) {
		if l.limit > 0 {
			limit = min(limit, l.limit)
		}
		page, err := transport.DecodedTable[T](ctx, false, func() (io.ReadCloser, error) {
			return asTable(l.page(limit, from), object).Stream(ctx)
		})
		if err != nil {
			return "", 0, err
		}
		if err := each(page); err != nil {
			return "", 0, err
		}
		if l.limit > 0 {
			return "", 0, nil
		}
		return page.Next(), len(page.Rows) + len(page.Items), nil
	})
}

// GetTable reads the table of one object. Its errors are those of Client.Get.
func GetTable[T any](ctx context.Context, c *Client, k Kind, key client.ObjectKey,
	object TableObject) (*transport.TablePage[T], error) {
	l, err := newPagedList(c, k, []client.ListOption{client.InNamespace(key.Namespace)})
	if err != nil {
		return nil, err
	}
	ctx = transport.Unbuffered(ctx)
	return transport.DecodedTable[T](ctx, true, func() (io.ReadCloser, error) {
		return asTable(l.request().Name(key.Name), object).Stream(ctx)
	})
}

func asTable(r *rest.Request, object TableObject) *rest.Request {
	return r.SetHeader("Accept", transport.TableAccept).Param("includeObject", string(object))
}

// pagedList makes the requests for the pages of a list.
type pagedList struct {
	rest      *rest.RESTClient
	kind      Kind
	namespace string
	// limit is the maximum number of objects to list; 0 means all.
	limit int64
	want  metav1.ListOptions
}

func newPagedList(c *Client, k Kind, opts []client.ListOption) (*pagedList, error) {
	o := client.ListOptionsOf(opts)
	cfg := dynamic.ConfigFor(c.rest)
	gv := k.GroupVersion()
	cfg.GroupVersion, cfg.APIPath = &gv, "/apis"
	if k.Group == "" {
		cfg.APIPath = "/api"
	}
	cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	r, err := rest.RESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, err
	}
	labelled, selected := o.LabelSelector, o.FieldSelector
	if labelled == nil {
		labelled = labels.Everything()
	}
	if selected == nil {
		selected = fields.Everything()
	}
	return &pagedList{rest: r, kind: k, namespace: o.Namespace, limit: o.Limit,
		want: metav1.ListOptions{LabelSelector: labelled.String(), FieldSelector: selected.String()}}, nil
}

func (l *pagedList) request() *rest.Request {
	return l.rest.Get().NamespaceIfScoped(l.namespace, l.namespace != "").Resource(l.kind.Plural)
}

func (l *pagedList) page(limit int64, from string) *rest.Request {
	options := transport.Paged(l.want, limit, from)
	return l.request().VersionedParams(&options, metav1.ParameterCodec)
}

// FromCache is a ListOption of Client.List for objects that rarely change or are only displayed. The API server answers
// from its watch cache (resourceVersion 0), which may be older than the last read or write of this client.
//
// Without it a list waits until the watch cache has all earlier writes of any kind: 20 to 100 ms on a busy server
// (ConsistentListFromCache, on by default since Kubernetes 1.31). The option has no effect in a Watch.
type FromCache struct{}

// ApplyToList implements client.ListOption.
func (FromCache) ApplyToList(o *client.ListOptions) {
	o.ResourceVersion = transport.AnyVersion
}

// ListAll lists page by page and returns the items of all pages. With an error of ListPages it returns the items read
// so far.
func ListAll[L client.ObjectList, T any](ctx context.Context, r Reader, list L, items func(L) []T,
	opts ...client.ListOption) ([]T, error) {
	var all []T
	err := r.ListPages(ctx, list, func() { all = append(all, items(list)...) }, opts...)
	return all, err
}
