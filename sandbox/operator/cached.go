package operator

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// syncTime is how long a read waits for an informer that is not filled yet, such as that of a kind whose CRD is gone.
const syncTime = 2 * time.Second

// cachedClient reads the kinds that an operator watches from the operator's own cache, and everything else from the API
// server. It reads an object that it has written from the API server until the cache has the write.
type cachedClient struct {
	client.Client
	// cache must fail for kinds without an informer.
	cache client.Reader

	mu     sync.Mutex
	writes map[objectID]*write
}

type objectID struct {
	schema.GroupVersionKind
	client.ObjectKey
}

// write is the last write of an object that the cache may lack.
type write struct {
	// version is the resource version after the write, or 0 if it is unknown.
	version uint64
	// deleted is set if the object was deleted.
	deleted bool
	// typed and generic tell whether the cache of typed or unstructured objects has the write.
	typed, generic bool
}

func (w *write) seenIn(o runtime.Object) *bool {
	if _, ok := o.(runtime.Unstructured); ok {
		return &w.generic
	}
	return &w.typed
}

func newCachedClient(live client.Client, cache client.Reader) *cachedClient {
	return &cachedClient{Client: live, cache: cache, writes: map[objectID]*write{}}
}

// Get implements client.Reader.
func (c *cachedClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object,
	opts ...client.GetOption) error {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil || len(opts) > 0 {
		return c.Client.Get(ctx, key, obj, opts...)
	}
	id := objectID{gvk, key}
	err, cached := c.lookUp(ctx, id, obj)
	if !cached {
		return c.Client.Get(ctx, key, obj)
	}
	if c.current(id, obj, err == nil) {
		return err
	}
	err = c.Client.Get(ctx, key, obj)
	switch {
	case err == nil:
		c.note(id, write{version: versionOf(obj)})
	case apierrors.IsNotFound(err):
		c.note(id, write{deleted: true})
	}
	return err
}

// lookUp reads an object from the cache, and reports whether the cache knows the kind.
func (c *cachedClient) lookUp(ctx context.Context, id objectID, obj client.Object) (err error, cached bool) {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	err = c.cache.Get(ctx, id.ObjectKey, obj)
	return err, err == nil || apierrors.IsNotFound(err)
}

// current reports whether the state of an object in the cache has the last write. obj is empty if found is false.
func (c *cachedClient) current(id objectID, obj client.Object, found bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.writes[id]
	if w == nil {
		return true
	}
	seen := w.seenIn(obj)
	switch {
	case *seen:
	case w.deleted:
		*seen = !found || obj.GetDeletionTimestamp() != nil
	default:
		*seen = found && w.version > 0 && versionOf(obj) >= w.version
	}
	return *seen
}

func (c *cachedClient) note(id objectID, w write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes[id] = &w
}

// List implements client.Reader.
func (c *cachedClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	gvk, err := c.GroupVersionKindFor(list)
	if err != nil || options.FieldSelector != nil || options.Limit > 0 || options.Raw != nil {
		return c.Client.List(ctx, list, opts...)
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	if missing, err := c.missing(ctx, gvk, list, options.Namespace); err != nil || missing {
		return c.Client.List(ctx, list, opts...)
	}
	wait, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	if c.cache.List(wait, list, opts...) == nil {
		return nil
	}
	return c.Client.List(ctx, list, opts...)
}

// missing reports whether the cache lacks a write of an object of the kind. It reads each such object once more,
// because somebody else may have deleted it since.
func (c *cachedClient) missing(ctx context.Context, gvk schema.GroupVersionKind, list client.ObjectList,
	namespace string) (bool, error) {
	missing := false
	for _, id := range c.unseen(gvk, list, namespace) {
		obj, err := c.emptyLike(list, gvk)
		if err != nil {
			return false, err
		}
		err, cached := c.lookUp(ctx, id, obj)
		if !cached {
			return true, nil
		}
		if c.current(id, obj, err == nil) {
			continue
		}
		missing = true
		if err := c.Get(ctx, id.ObjectKey, obj); client.IgnoreNotFound(err) != nil {
			return false, err
		}
	}
	return missing, nil
}

func (c *cachedClient) unseen(gvk schema.GroupVersionKind, list client.ObjectList, namespace string) []objectID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Keys(c.writes)), func(id objectID) bool {
		return id.GroupVersionKind != gvk || namespace != "" && id.Namespace != namespace || *c.writes[id].seenIn(list)
	})
}

// emptyLike returns an empty object of the kind, typed or unstructured as o is.
func (c *cachedClient) emptyLike(o runtime.Object, gvk schema.GroupVersionKind) (client.Object, error) {
	if _, ok := o.(runtime.Unstructured); ok {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u, nil
	}
	typed, err := c.Scheme().New(gvk)
	if err != nil {
		return nil, err
	}
	obj, ok := typed.(client.Object)
	if !ok {
		return nil, runtime.NewNotRegisteredErrForKind("client.Object", gvk)
	}
	return obj, nil
}

func versionOf(o client.Object) uint64 {
	version, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return version
}
