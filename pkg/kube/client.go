package kube

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// FieldOwner is the field manager of everything that hcctl writes.
const FieldOwner = owner.Hcctl

// ManagedByLabel marks the objects that hcctl created. Its value is FieldOwner.
const ManagedByLabel = "app.kubernetes.io/managed-by"

// Client reads and writes one cluster. All its reads go to the API server; Reader returns cached and watching readers.
type Client struct {
	client.Client
	rest   *rest.Config
	http   *http.Client
	server *informer.Server
	mapper *discoveryMapper
	clock  *transport.Clock
	retry  *transport.Retry
	// plan records the writes of a planning client; nil for a client that writes. See Planning.
	plan *plan.Plan
}

// New returns a Client for the cluster of cfg. It sends no request.
//
// The client-side rate limiter is off: the API server's priority and fairness limits the rate and answers 429. A read
// times out after 30 s and a write after 65 s; an established watch has no time limit. Reads and dry runs are retried
// when the server fails or is unreachable (see OnAway). ManagementLimits bound what the server may send, unless an
// option changes them.
func New(cfg *rest.Config, options ...transport.Option) (*Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	if cfg.UserAgent == "" {
		cfg.UserAgent = FieldOwner
	}
	clock := &transport.Clock{}
	cfg.Wrap(clock.Wrap)
	httpClient, err := transport.HTTPClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", cfg.Host, err)
	}
	httpClient, retry := transport.WithRetries(httpClient, options)
	if retry.Limits.JSONOnly {
		cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	}
	mapper := newMapper()
	c, err := client.New(cfg, httpClient, NewScheme(), mapper)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", cfg.Host, err)
	}
	d, err := dynamic.NewForConfigAndClient(cfg, httpClient)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", cfg.Host, err)
	}
	kc := &Client{Client: webhookClient{transport.PagingClient{Client: c}}, rest: cfg, http: httpClient, mapper: mapper,
		clock: clock,
		retry: retry}
	kc.server = &informer.Server{Dynamic: d, Retry: retry, Host: cfg.Host}
	return kc, nil
}

// Config returns the connection of the client. The caller must not change it.
func (c *Client) Config() *rest.Config { return c.rest }

// Live returns c. It makes the Client available from a Reader that caches or watches.
func (c *Client) Live() *Client { return c }

// DetourTo returns the detour to the API server of a hosted cluster: a second route, through the management cluster.
// See transport.Retry.
func (c *Client) DetourTo(hosted client.ObjectKey) *transport.Detour {
	return c.retry.DetourTo(hosted.String())
}

// Get reads one object. A missing object and an unknown kind are both apierrors.IsNotFound; IsKindMissing distinguishes
// them.
func (c *Client) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	err := c.Client.Get(ctx, key, obj)
	if err == nil {
		object.Remember(obj)
	}
	return err
}

// get reads one object from a source.
func (c *Client) get(ctx context.Context, read source, key client.ObjectKey, obj client.Object) error {
	resource, err := c.resourceOf(obj)
	if err != nil {
		return err
	}
	items, err := read(ctx, informer.Key{Server: c.server, Resource: resource, Namespace: key.Namespace, Name: key.Name},
		informer.FieldFilter{})
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return apierrors.NewNotFound(resource.GroupResource(), key.Name)
	}
	object.Remember(items[0])
	return object.Into(items[0], obj)
}

// List reads the objects that match. FieldFilter is an additional option. The error for an unknown kind is
// IsKindMissing.
func (c *Client) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if filter := informer.FieldFilterOf(opts); filter != (informer.FieldFilter{}) {
		return c.listWhere(ctx, list, filter, opts...)
	}
	return c.Client.List(ctx, list, opts...)
}

// list reads a list from a source.
func (c *Client) list(ctx context.Context, read source, list client.ObjectList, opts []client.ListOption) error {
	resource, err := c.resourceOf(list)
	if err != nil {
		return err
	}
	o := client.ListOptionsOf(opts)
	key := informer.Key{Server: c.server, Resource: resource, Namespace: o.Namespace, List: true,
		Version: o.ResourceVersion}
	if o.LabelSelector != nil {
		key.Labels = o.LabelSelector.String()
	}
	if o.FieldSelector != nil {
		key.Fields = o.FieldSelector.String()
	}
	items, err := read(ctx, key, informer.FieldFilterOf(opts))
	if err != nil {
		return err
	}
	return object.IntoList(items, list)
}

// listWhere lists everything and keeps the objects that match the filter.
func (c *Client) listWhere(ctx context.Context, list client.ObjectList, filter informer.FieldFilter,
	opts ...client.ListOption) error {
	gvk, err := c.GroupVersionKindFor(list)
	if err != nil {
		return err
	}
	whole := &unstructured.UnstructuredList{}
	whole.SetGroupVersionKind(gvk)
	if err := c.Client.List(ctx, whole, opts...); err != nil {
		return err
	}
	items := make([]*unstructured.Unstructured, 0, len(whole.Items))
	for i := range whole.Items {
		items = append(items, &whole.Items[i])
	}
	if err := object.IntoList(filter.Filter(items), list); err != nil {
		return err
	}
	list.SetContinue(whole.GetContinue())
	list.SetResourceVersion(whole.GetResourceVersion())
	return nil
}

// resourceOf finds the resource of an object or of a list's items.
func (c *Client) resourceOf(obj runtime.Object) (schema.GroupVersionResource, error) {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	gk := gvk.GroupKind()
	gk.Kind = strings.TrimSuffix(gk.Kind, "List")
	mapping, err := c.RESTMapper().RESTMapping(gk, gvk.Version)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	return mapping.Resource, nil
}

// AuthError returns the error that fails every request: the API server rejects the credentials, or its certificate is
// not trusted. It returns nil after the next successful request.
func (c *Client) AuthError() error {
	return c.retry.AuthError()
}

// Now returns the API server's time, for comparison with creationTimestamp and lastTransitionTime. A change of the
// local clock does not affect it.
func (c *Client) Now() time.Time {
	if c == nil || c.clock == nil {
		return time.Now()
	}
	return c.clock.Now()
}
