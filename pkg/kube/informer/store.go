package informer

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

type objects map[types.NamespacedName]*item

// item is an object of a store.
type item struct {
	// Unstructured has only the object's identity and version if the key has a Decoder.
	*unstructured.Unstructured
	// value is the Decoder's value of the object.
	value any
	// memory is the estimated size of the received object in bytes.
	memory int64
}

// object returns the object, nil for no item.
func (i *item) object() *unstructured.Unstructured {
	if i == nil {
		return nil
	}
	return i.Unstructured
}

// Decoder converts a received object to a Go value, nil if it cannot. The store keeps the value instead of the object,
// which takes several times its memory. Keys share a store only if they have the same Decoder.
type Decoder struct {
	Decode func(*unstructured.Unstructured) any
}

// NoValue is the Decoder for callers that need to know only that an object has changed.
var NoValue = &Decoder{func(*unstructured.Unstructured) any { return nil }}

// store keeps the objects that a reflector has read, and the subscribers to their changes. Readers share the objects,
// so the store replaces them and never changes them.
type store struct {
	mu    sync.Mutex
	items objects
	// memory is the estimated size of the items in bytes.
	memory int64
	// sorted has the items by name, nil if they must be sorted again.
	sorted    []*unstructured.Unstructured
	err       error
	firstSync chan struct{}
	synced    bool
	// filters has the filters of each watch, subscribers the watches of each filter.
	filters     map[*Watch]map[FieldFilter]bool
	subscribers map[FieldFilter]map[*Watch]bool
	// fields counts the filters for each field.
	fields map[string]int
	// changes has the Changes, which need to know the changed objects.
	changes map[*Changes]bool
}

func newStore() store {
	return store{
		firstSync: make(chan struct{}), filters: map[*Watch]map[FieldFilter]bool{},
		subscribers: map[FieldFilter]map[*Watch]bool{},
		fields:      map[string]int{}, changes: map[*Changes]bool{},
	}
}

// keep returns the item for a received object, or the stored item if it has the same version, so that a list without
// changes takes no memory. Only the reflector's goroutine may call it.
func (r *store) keep(key Key, u *unstructured.Unstructured) *item {
	if have := r.items[nameOf(u)]; sameVersion(have.object(), u) {
		return have
	}
	if key.NoManagedFields {
		unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	}
	i := &item{Unstructured: u, memory: transport.Memory(u.Object)}
	if key.Decoder != nil {
		i.value = key.Decoder.Decode(u)
		i.Unstructured = &unstructured.Unstructured{Object: map[string]any{}}
		i.SetNamespace(u.GetNamespace())
		i.SetName(u.GetName())
		i.SetUID(u.GetUID())
		i.SetResourceVersion(u.GetResourceVersion())
	}
	return i
}

// sameVersion reports whether UID and resource version are the same.
func sameVersion(a, b *unstructured.Unstructured) bool {
	return a != nil && b != nil && a.GetResourceVersion() == b.GetResourceVersion() && a.GetUID() == b.GetUID()
}

// replace replaces all objects.
func (r *store) replace(items objects) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, wakeSubscribers := r.items, r.err != nil || !r.synced
	r.items, r.sorted, r.err = items, nil, nil
	r.memory = 0
	for name, now := range items {
		r.memory += now.memory
		if old := before[name]; old != now {
			r.notify(name, old.object(), now.Unstructured)
		}
	}
	for name, old := range before {
		if items[name] == nil {
			r.notify(name, old.Unstructured, nil)
		}
	}
	r.markReady()
	if wakeSubscribers {
		r.wakeAll()
	}
}

// update applies one watch event.
func (r *store) update(change watch.EventType, now *item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := nameOf(now.Unstructured)
	old := r.items[name]
	if old != nil {
		r.memory -= old.memory
	}
	if change == watch.Deleted {
		now = nil
		delete(r.items, name)
	} else {
		r.items[name] = now
		r.memory += now.memory
	}
	if r.sorted != nil && old != nil && now != nil {
		r.sorted[slices.Index(r.sorted, old.Unstructured)] = now.Unstructured
	} else {
		r.sorted = nil
	}
	r.notify(name, old.object(), now.object())
}

// failed stores the error for readers and wakes them. It ignores an error of the same kind as the last one.
func (r *store) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if transport.SameFailure(r.err, err) {
		return
	}
	r.err = err
	r.markReady()
	r.wakeAll()
}

func (r *store) recovered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		r.err = nil
		r.wakeAll()
	}
}

// markReady unblocks the first readers. The caller holds mu.
func (r *store) markReady() {
	if !r.synced {
		r.synced = true
		close(r.firstSync)
	}
}

// waitReady blocks until the first list has succeeded or failed.
func (r *store) waitReady(ctx context.Context) error {
	select {
	case <-r.firstSync:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read returns the objects that match the filter, sorted by name. The caller must not change them.
func (r *store) read(ctx context.Context, where FieldFilter) ([]*unstructured.Unstructured, error) {
	if err := r.waitReady(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return nil, r.err
	}
	if r.sorted == nil {
		r.sorted = make([]*unstructured.Unstructured, 0, len(r.items))
		for _, i := range r.items {
			r.sorted = append(r.sorted, i.Unstructured)
		}
		slices.SortFunc(r.sorted, byName)
	}
	return slices.Clone(where.Filter(r.sorted)), nil
}

// byName orders objects by namespace and name.
func byName(a, b *unstructured.Unstructured) int {
	return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
}
