package kube

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

// ListDecoded lists page by page and decodes each object into the caller's type T, so that fields outside of T cost no
// memory. It always asks the API server and retries a page that breaks off; its errors are those of ListPages.
func ListDecoded[T any](ctx context.Context, c *Client, k Kind, each func(*T), opts ...client.ListOption) error {
	l, err := newPagedList(c, k, opts)
	if err != nil {
		return err
	}
	ctx = transport.Unbuffered(ctx)
	return transport.InPages(ctx, false, func(ctx context.Context, most int64, from string) (string, int, error) {
		items, next, err := transport.DecodedPage[T](ctx, func() (io.ReadCloser, error) {
			return l.page(most, from).Stream(ctx)
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

// TableObject is what of the objects comes with the rows of a table.
type TableObject string

// The values of the API's includeObject.
const (
	TableNoObject TableObject = "None"
	TableMetadata TableObject = "Metadata"
	TableWhole    TableObject = "Object"
)

// ListTable lists page by page the table that the API server makes of the objects, with the columns of their CRD. A
// server that knows no tables answers with the objects. Otherwise it is ListDecoded, and fails with the error of each.
func ListTable[T any](ctx context.Context, c *Client, k Kind, object TableObject, each func(*TablePage[T]) error,
	opts ...client.ListOption) error {
	l, err := newPagedList(c, k, opts)
	if err != nil {
		return err
	}
	ctx = transport.Unbuffered(ctx)
	return transport.InPages(ctx, false, func(ctx context.Context, most int64, from string) (string, int, error) {
		if l.most > 0 {
			most = min(most, l.most)
		}
		page, err := transport.DecodedTable[T](ctx, false, func() (io.ReadCloser, error) {
			return asTable(l.page(most, from), object).Stream(ctx)
		})
		if err != nil {
			return "", 0, err
		}
		if err := each(page); err != nil {
			return "", 0, err
		}
		if l.most > 0 {
			return "", 0, nil
		}
		return page.Next(), len(page.Rows) + len(page.Items), nil
	})
}

// GetTable reads the table of one object, as ListTable does. Its errors are those of Client.Get.
func GetTable[T any](ctx context.Context, c *Client, k Kind, key client.ObjectKey,
	object TableObject) (*TablePage[T], error) {
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
	// most is the number of objects that are wanted at most; 0 means all.
	most int64
	want metav1.ListOptions
}

func newPagedList(c *Client, k Kind, opts []client.ListOption) (*pagedList, error) {
	var o client.ListOptions
	o.ApplyOptions(opts)
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
	return &pagedList{rest: r, kind: k, namespace: o.Namespace, most: o.Limit,
		want: metav1.ListOptions{LabelSelector: labelled.String(), FieldSelector: selected.String()}}, nil
}

func (l *pagedList) request() *rest.Request {
	return l.rest.Get().NamespaceIfScoped(l.namespace, l.namespace != "").Resource(l.kind.Plural)
}

func (l *pagedList) page(most int64, from string) *rest.Request {
	options := transport.Paged(l.want, most, from)
	return l.request().VersionedParams(&options, metav1.ParameterCodec)
}
