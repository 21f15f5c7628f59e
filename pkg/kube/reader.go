package kube

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// Reader reads one cluster and writes nothing. A *Client reads live; Client.Reader returns the others, which read every
// object once per run (Cache), or from informers that wake a step (Watch).
type Reader interface {
	// Reader has Get and List. They accept the ListOptions FieldFilter and FromCache, too.
	client.Reader
	// Names lists the names of all objects of a kind, see Client.Names.
	Names(ctx context.Context, k Kind) ([]types.NamespacedName, error)
	// ServerVersion returns the version of the API server, see Client.ServerVersion.
	ServerVersion(ctx context.Context) (string, error)
	// Share returns the result of load; a Cache keeps it by the key. Once is the typed form.
	Share(ctx context.Context, key string, load func(context.Context) (any, error)) (any, error)
	// Prefetch lists several kinds in parallel, so that later reads wait only for the slowest list. It does nothing unless
	// the Reader is a Cache.
	Prefetch(ctx context.Context, kinds ...Kind)
	// From returns a Reader of the same type for another cluster.
	From(c *Client) Reader

	// The methods below always read from the API server. GetPath GETs a path, see Client.GetPath.
	GetPath(ctx context.Context, path string) ([]byte, error)
	// Denied returns the permissions that the user lacks, see Client.Denied.
	Denied(ctx context.Context, wanted []Access) ([]Access, error)
	// Content and Remaining list what a namespace contains, see Client.Content and Client.Remaining.
	Content(ctx context.Context, namespace string, ignore func(*metav1.PartialObjectMetadata) bool) ([]string, error)
	Remaining(ctx context.Context, namespace string, ignore func(*metav1.PartialObjectMetadata) bool) ([]string, error)
	// ListLabelled lists the objects of these kinds, or of every kind, with these labels, see Client.ListLabelled.
	ListLabelled(ctx context.Context, labels client.MatchingLabels, only ...schema.GroupVersionKind) (
		found []LabelledObject, unread []string, err error)
	// ListPages lists page by page, see Client.ListPages.
	ListPages(ctx context.Context, list client.ObjectList, each func(), opts ...client.ListOption) error
	// DiscoverKind adds a kind to the client, see Client.DiscoverKind.
	DiscoverKind(ctx context.Context, gvk schema.GroupVersionKind) error
	// Namespaced reports whether a kind is namespaced, see Client.Namespaced.
	Namespaced(ctx context.Context, gvk schema.GroupVersionKind) (bool, error)
	// DiscoverResource adds a resource to the client, see Client.DiscoverResource.
	DiscoverResource(ctx context.Context, gr schema.GroupResource) (Kind, error)
	// GroupVersionKindFor returns the kind of an object.
	GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error)
	// Now returns the API server's time.
	Now() time.Time
	// Live returns the Client of the cluster, which reads live.
	Live() *Client
	// Config returns the connection, see Client.Config.
	Config() *rest.Config
}

var _ Reader = (*Client)(nil)

// Reader returns a Reader of the cluster for these Reads: a Cache or a Watch; nil and any other Reads mean live. A
// planning client never reads from a Cache, because its planned writes hide parts of the server's state.
func (c *Client) Reader(reads step.Reads) Reader {
	switch reads := reads.(type) {
	case *informer.Watch:
		return &watchReader{c, reads}
	case *informer.Cache:
		if c.plan == nil {
			return &cacheReader{c, reads}
		}
	}
	return c
}

// Check examines one cluster through a Reader and returns its finding.
type Check func(context.Context, Reader) step.Finding

// Reading returns the check as a function for a step. The check gets a Reader for the Reads of the engine.
func (c *Client) Reading(check Check) func(context.Context, step.Reads) step.Finding {
	return func(ctx context.Context, reads step.Reads) step.Finding { return check(ctx, c.Reader(reads)) }
}

// From returns c, because a Client reads live.
func (*Client) From(c *Client) Reader { return c }

// Prefetch does nothing, because a Client caches nothing.
func (*Client) Prefetch(context.Context, ...Kind) {}

// cacheReader reads every object once per run.
type cacheReader struct {
	*Client
	cache *informer.Cache
}

func (r *cacheReader) From(c *Client) Reader { return c.Reader(r.cache) }

func (r *cacheReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	return r.get(ctx, r.cache.Read, key, obj)
}

// List reads from the API server if Limit is set, because a page is not the whole list.
func (r *cacheReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if o := client.ListOptionsOf(opts); o.Limit > 0 {
		return r.Client.List(ctx, list, opts...)
	}
	return r.list(ctx, r.cache.Read, list, opts)
}

func (r *cacheReader) Names(ctx context.Context, k Kind) ([]types.NamespacedName, error) {
	key := informer.Key{Server: r.server, Resource: k.Resource(), List: true}
	if r.cache.Has(key) {
		// The cached objects have the names.
		items, err := r.cache.Read(ctx, key, informer.FieldFilter{})
		var names []types.NamespacedName
		for _, item := range items {
			names = append(names, types.NamespacedName{Namespace: item.GetNamespace(), Name: item.GetName()})
		}
		return names, err
	}
	return r.cache.NamesOf(ctx, key,
		func(ctx context.Context) ([]types.NamespacedName, error) { return r.Client.Names(ctx, k) })
}

// Once returns the result of load. Caching readers share it by the key.
func Once[T any](ctx context.Context, r Reader, key string, load func(context.Context) (T, error)) (T, error) {
	answer, err := r.Share(ctx, key, func(ctx context.Context) (any, error) { return load(ctx) })
	t, _ := answer.(T)
	return t, err
}

// Share calls load every time, because a Client caches nothing.
func (*Client) Share(ctx context.Context, _ string, load func(context.Context) (any, error)) (any, error) {
	return load(ctx)
}

func (r *cacheReader) Share(ctx context.Context, key string, load func(context.Context) (any, error)) (any, error) {
	return r.cache.Once(ctx, r.server, key, load)
}

func (r *cacheReader) ServerVersion(ctx context.Context) (string, error) {
	data, err := r.cache.Path(ctx, r.server, versionPath, func(ctx context.Context) ([]byte, error) {
		return r.GetPath(ctx, versionPath)
	})
	if err != nil {
		return "", err
	}
	return r.gitVersion(data)
}

func (r *cacheReader) Prefetch(ctx context.Context, kinds ...Kind) {
	var wg sync.WaitGroup
	for _, k := range kinds {
		key := informer.Key{Server: r.server, Resource: k.Resource(), List: true}
		// The reader of the list gets the error.
		wg.Go(func() { _, _ = r.cache.Read(ctx, key, informer.FieldFilter{}) })
	}
	wg.Wait()
}

// watchReader reads from informers, and its Watch records these reads.
type watchReader struct {
	*Client
	watch *informer.Watch
}

func (r *watchReader) From(c *Client) Reader { return c.Reader(r.watch) }

func (r *watchReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	return r.get(ctx, r.watch.Read, key, obj)
}

func (r *watchReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return r.list(ctx, r.watch.Read, list, opts)
}

func (r *watchReader) Names(ctx context.Context, k Kind) ([]types.NamespacedName, error) {
	list := namesList(k)
	err := r.List(ctx, list)
	return namesOf(list), err
}

// source returns the objects of a key for a Reader.
type source func(context.Context, informer.Key, informer.FieldFilter) ([]*unstructured.Unstructured, error)
