package kube

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// EachPage lists the objects of a kind page by page and calls each with every page, so that only one page is in memory.
// An empty namespace lists all namespaces, an empty label selector all objects. It returns the error of a page, the
// error of each, or *TooLargeError.
func (c *Client) EachPage(
	ctx context.Context, k Kind, namespace, selector string, each func([]unstructured.Unstructured) error) error {
	var from dynamic.ResourceInterface = c.server.Dynamic.Resource(k.Resource())
	if namespace != "" {
		from = c.server.Dynamic.Resource(k.Resource()).Namespace(namespace)
	}
	return transport.InPages(ctx, false, func(ctx context.Context, limit int64, token string) (string, int, error) {
		l, err := from.List(ctx, transport.Paged(metav1.ListOptions{LabelSelector: selector}, limit, token))
		if err != nil {
			return "", 0, err
		}
		return l.GetContinue(), len(l.Items), each(l.Items)
	})
}

// LogOptions select a part of a container's log.
type LogOptions struct {
	Container string
	// Previous selects the container before the last restart. Follow streams until the container ends.
	Previous, Follow bool
	// Timestamps adds the time at the beginning of each line.
	Timestamps bool
	// Tail is the number of last lines, Since the maximum age; zero means no limit.
	Tail  int64
	Since time.Duration
}

// Logs opens the last lines of a container's log, with timestamps; previous selects the container before the last
// restart. The caller closes it. Reading more than Limits.Log fails with *TooLargeError.
func (c *Client) Logs(ctx context.Context, namespace, pod, container string, previous bool,
	lines int64) (io.ReadCloser, error) {
	return c.LogStream(ctx, namespace, pod, LogOptions{Container: container, Previous: previous, Timestamps: true,
		Tail: lines})
}

// LogStream opens a container's log. The caller closes it. Reading more than Limits.Log fails with *TooLargeError.
func (c *Client) LogStream(ctx context.Context, namespace, pod string, opt LogOptions) (io.ReadCloser, error) {
	query := url.Values{"container": {opt.Container}}
	for name, set := range map[string]bool{"timestamps": opt.Timestamps, "previous": opt.Previous, "follow": opt.Follow} {
		if set {
			query.Set(name, "true")
		}
	}
	if opt.Tail > 0 {
		query.Set("tailLines", strconv.FormatInt(opt.Tail, 10))
	}
	if opt.Since > 0 {
		query.Set("sinceSeconds", strconv.FormatInt(int64(max(opt.Since, time.Second).Seconds()), 10))
	}
	return c.stream(ctx, fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log", namespace, pod), query)
}

// NodeLog opens a log of a node through its kubelet, such as "journal", with the kubelet's query parameters. The caller
// closes it. Reading more than Limits.Log fails with *TooLargeError.
func (c *Client) NodeLog(ctx context.Context, node, log string, query url.Values) (io.ReadCloser, error) {
	return c.stream(ctx, fmt.Sprintf("/api/v1/nodes/%s/proxy/logs/%s", node, log), query)
}

// stream sends a GET for a path and returns the body.
func (c *Client) stream(ctx context.Context, path string, query url.Values) (io.ReadCloser, error) {
	cfg := dynamic.ConfigFor(c.rest)
	cfg.GroupVersion = nil
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, err
	}
	r := client.Get().AbsPath(path)
	for key := range query {
		r = r.Param(key, query.Get(key))
	}
	return r.Stream(ctx)
}
