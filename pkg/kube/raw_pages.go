package kube

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Decoded lists what may be thousands of objects page by page, each decoded into an item of the caller's own type, which may have just the fields that
// are wanted: what is not in it costs no memory. It always asks the API server. It fails as Pages does.
func Decoded[T any](ctx context.Context, c *Client, k Kind, each func(*T), opts ...client.ListOption) error {
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
	want := metav1.ListOptions{Limit: pageSize, LabelSelector: labelled.String(), FieldSelector: selected.String()}
	for {
		data, err := r.Get().NamespaceIfScoped(o.Namespace, o.Namespace != "").Resource(k.Plural).
			VersionedParams(&want, metav1.ParameterCodec).DoRaw(ctx)
		if err != nil {
			return err
		}
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []T `json:"items"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			return fmt.Errorf("list of %s: %w", k.Plural, err)
		}
		for i := range page.Items {
			each(&page.Items[i])
		}
		if want.Continue = page.Metadata.Continue; want.Continue == "" {
			return nil
		}
	}
}
