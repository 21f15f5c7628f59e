package kube

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

// ListDecoded lists page by page and decodes each object into the caller's type T, so that fields outside of T cost no
// memory. It always asks the API server and retries a page that breaks off; its errors are those of ListPages.
func ListDecoded[T any](ctx context.Context, c *Client, k Kind, each func(*T), opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	cfg := dynamic.ConfigFor(c.rest)
	gv := k.GroupVersion()
	cfg.GroupVersion, cfg.APIPath = &gv, "/apis"
	if k.Group == "" {
		cfg.APIPath = "/api"
	}
	cfg.ContentType, cfg.AcceptContentTypes = "application/json", "application/json"
	r, err := rest.RESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return err
	}
	labelled, selected := o.LabelSelector, o.FieldSelector
	if labelled == nil {
		labelled = labels.Everything()
	}
	if selected == nil {
		selected = fields.Everything()
	}
	want := metav1.ListOptions{LabelSelector: labelled.String(), FieldSelector: selected.String()}
	ctx = transport.Unbuffered(ctx)
	return transport.InPages(ctx, false, func(ctx context.Context, most int64, from string) (string, int, error) {
		options := transport.Paged(want, most, from)
		items, next, err := transport.DecodedPage[T](ctx, func() (io.ReadCloser, error) {
			return r.Get().NamespaceIfScoped(o.Namespace, o.Namespace != "").Resource(k.Plural).
				VersionedParams(&options, metav1.ParameterCodec).Stream(ctx)
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
