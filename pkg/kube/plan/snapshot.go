package plan

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
)

// snapshot reads each object and list once for all steps of a plan, which change nothing. It is cleared if a dry run
// finds another version of an object than was read.
type snapshot struct {
	client.Client
	mu    sync.Mutex
	reads map[snapshotKey]*snapshotRead
}

// snapshotKey identifies one object or, with List, one list.
type snapshotKey struct {
	schema.GroupVersionKind
	client.ObjectKey
	List                    bool
	Labels, Fields, Version string
}

// snapshotRead is one read. Concurrent readers wait for the first one.
type snapshotRead struct {
	mu    sync.Mutex
	done  bool
	items []*unstructured.Unstructured
	// err is NotFound or nil; other errors are not kept.
	err error
}

func (s *snapshot) read(
	key snapshotKey, load func() ([]*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	s.mu.Lock()
	if s.reads == nil {
		s.reads = map[snapshotKey]*snapshotRead{}
	}
	r := s.reads[key]
	if r == nil {
		r = &snapshotRead{}
		s.reads[key] = r
	}
	s.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return r.items, r.err
	}
	items, err := load()
	if err == nil || apierrors.IsNotFound(err) && !key.List {
		r.items, r.err, r.done = items, err, true
	}
	return items, err
}

// Get implements client.Client. Metadata-only objects are not kept.
func (s *snapshot) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	gvk, err := s.GroupVersionKindFor(obj)
	if _, metadata := obj.(*metav1.PartialObjectMetadata); metadata || err != nil {
		return s.Client.Get(ctx, key, obj)
	}
	items, err := s.read(snapshotKey{GroupVersionKind: gvk, ObjectKey: key},
		func() ([]*unstructured.Unstructured, error) {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(gvk)
			return []*unstructured.Unstructured{u}, s.Client.Get(ctx, key, u)
		})
	if err != nil {
		return err
	}
	return object.Into(items[0], obj)
}

// List implements client.Client. Pages and metadata are not kept.
func (s *snapshot) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := client.ListOptionsOf(opts)
	gvk, err := s.GroupVersionKindFor(list)
	if _, metadata := list.(*metav1.PartialObjectMetadataList); metadata || err != nil || o.Limit > 0 || o.Continue != "" {
		return s.Client.List(ctx, list, opts...)
	}
	key := snapshotKey{GroupVersionKind: gvk, ObjectKey: client.ObjectKey{Namespace: o.Namespace}, List: true,
		Version: o.ResourceVersion}
	if o.LabelSelector != nil {
		key.Labels = o.LabelSelector.String()
	}
	if o.FieldSelector != nil {
		key.Fields = o.FieldSelector.String()
	}
	items, err := s.read(key, func() ([]*unstructured.Unstructured, error) {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(gvk)
		if err := s.Client.List(ctx, l, opts...); err != nil {
			return nil, err
		}
		items := make([]*unstructured.Unstructured, len(l.Items))
		for i := range l.Items {
			items[i] = &l.Items[i]
		}
		return items, nil
	})
	if err != nil {
		return err
	}
	return object.IntoList(items, list)
}

// clearIfStale clears the snapshot if the dry run's error shows that an object is not the one that was read.
func (s *snapshot) clearIfStale(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reads = nil
	}
	return err
}

// Create implements client.Client, as do Apply, Patch and Delete.
func (s *snapshot) Create(ctx context.Context, obj client.Object, opts ...client.WriteOption) error {
	return s.clearIfStale(s.Client.Create(ctx, obj, opts...))
}

func (s *snapshot) Apply(ctx context.Context, obj *unstructured.Unstructured, opts ...client.WriteOption) error {
	return s.clearIfStale(s.Client.Apply(ctx, obj, opts...))
}

func (s *snapshot) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.WriteOption) error {
	return s.clearIfStale(s.Client.Patch(ctx, obj, patch, opts...))
}

func (s *snapshot) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	//nolint:forbidigo // passes on what the caller has decided
	return s.clearIfStale(s.Client.Delete(ctx, obj, opts...))
}
