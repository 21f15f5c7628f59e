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

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

type objects map[types.NamespacedName]*unstructured.Unstructured

// store is what a feed keeps of the API server's objects, and who is told of which change. Its objects are shared with
// those who read them: they are replaced, never changed.
type store struct {
	mu    sync.Mutex
	items objects
	// memory is what the items take, by estimate.
	memory int64
	// sorted are the items by name, nil when they have to be put in order anew.
	sorted    []*unstructured.Unstructured
	err       error
	firstSync chan struct{}
	synced    bool
	// filters have what each reads, and parts who reads what: a change looks up whom it concerns.
	filters     map[*Watch]map[FieldFilter]bool
	subscribers map[FieldFilter]map[*Watch]bool
	// fields are those that parts are chosen by, with the number of parts.
	fields map[string]int
	// changes are told which objects changed, beside the fact that something did.
	changes map[*Changes]bool
}

func newStore() store {
	return store{
		firstSync: make(chan struct{}), filters: map[*Watch]map[FieldFilter]bool{},
		subscribers: map[FieldFilter]map[*Watch]bool{},
		fields:      map[string]int{}, changes: map[*Changes]bool{},
	}
}

// reuse is the object as the replica has it already, where that is the same version of it: so a list that brings
// nothing new takes no memory. It is for the feed's own goroutine, the only one that changes items.
func (r *store) reuse(u *unstructured.Unstructured) *unstructured.Unstructured {
	if have := r.items[nameOf(u)]; sameVersion(have, u) {
		return have
	}
	return u
}

// sameVersion tells whether two reads are of the same object at the same version.
func sameVersion(a, b *unstructured.Unstructured) bool {
	return a != nil && b != nil && a.GetResourceVersion() == b.GetResourceVersion() && a.GetUID() == b.GetUID()
}

// replace replaces all objects.
func (r *store) replace(items objects) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, news := r.items, r.err != nil || !r.synced
	r.items, r.sorted, r.err = items, nil, nil
	r.memory = 0
	for name, now := range items {
		r.memory += transport.Memory(now.Object)
		if old := before[name]; !sameVersion(old, now) {
			r.notify(name, old, now)
		}
	}
	for name, old := range before {
		if items[name] == nil {
			r.notify(name, old, nil)
		}
	}
	r.markReady()
	if news {
		r.wakeAll()
	}
}

// update takes one change.
func (r *store) update(change watch.EventType, u *unstructured.Unstructured) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, now := nameOf(u), u
	old := r.items[name]
	if old != nil {
		r.memory -= transport.Memory(old.Object)
	}
	if change != watch.Deleted {
		r.memory += transport.Memory(u.Object)
	}
	if change == watch.Deleted {
		now = nil
		delete(r.items, name)
	} else {
		r.items[name] = u
	}
	if r.sorted != nil && old != nil && now != nil {
		r.sorted[slices.Index(r.sorted, old)] = now
	} else {
		r.sorted = nil
	}
	r.notify(name, old, now)
}

// failed keeps the error for readers, who learn that nothing can be known now: of the first of a row that is all the
// same trouble.
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

// markReady lets the first readers go on. The caller holds mu.
func (r *store) markReady() {
	if !r.synced {
		r.synced = true
		close(r.firstSync)
	}
}

// waitReady returns once there is something to read.
func (r *store) waitReady(ctx context.Context) error {
	select {
	case <-r.firstSync:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read returns the objects that where keeps, by name. They and their slice must not be changed.
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
		for _, u := range r.items {
			r.sorted = append(r.sorted, u)
		}
		slices.SortFunc(r.sorted, byName)
	}
	return slices.Clone(where.Filter(r.sorted)), nil
}

// byName orders objects by namespace and name.
func byName(a, b *unstructured.Unstructured) int {
	return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
}
