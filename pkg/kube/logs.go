package kube

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

// EachPage lists the objects of a kind, in one namespace or (empty) everywhere, and calls each with every page, so that
// it holds one page at a time. It fails with the error of a page or of each, or with *TooLargeError.
func (c *Client) EachPage(
	ctx context.Context, k Kind, namespace string, each func([]unstructured.Unstructured) error,
) error {
	var from dynamic.ResourceInterface = c.server.Dynamic.Resource(k.Resource())
	if namespace != "" {
		from = c.server.Dynamic.Resource(k.Resource()).Namespace(namespace)
	}
	return transport.InPages(ctx, false, func(ctx context.Context, most int64, token string) (string, int, error) {
		l, err := from.List(ctx, transport.Paged(metav1.ListOptions{}, most, token))
		if err != nil {
			return "", 0, err
		}
		return l.GetContinue(), len(l.Items), each(l.Items)
	})
}

// Logs opens the last lines of a container's log, with timestamps; previous selects the container before the last
// restart. The caller closes it, and reading more than Limits.Log fails with *TooLargeError.
func (c *Client) Logs(ctx context.Context, namespace, pod, container string, previous bool,
	lines int64) (io.ReadCloser, error) {
	cfg := dynamic.ConfigFor(c.rest)
	cfg.GroupVersion = nil
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, err
	}
	query := url.Values{"container": {container}, "timestamps": {"true"}, "tailLines": {strconv.FormatInt(lines, 10)}}
	if previous {
		query.Set("previous", "true")
	}
	r := client.Get().AbsPath(fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log", namespace, pod))
	for key := range query {
		r = r.Param(key, query.Get(key))
	}
	return r.Stream(ctx)
}
