package informer

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Changes returns the objects of a selection that have changed since the last call. It keeps at most one entry per
// object, however often that changes.
type Changes struct {
	watch     *Watch
	reflector *reflector
	// pending has the objects to compare, reported what Take returned last. The reflector's mu guards both.
	pending  map[types.NamespacedName]bool
	reported objects
}

// Change is a change of one object. The objects have no managed fields and are shared with the store: the caller must
// not change them.
type Change struct {
	// Before is the object of the last Take, nil if it is new.
	Before *unstructured.Unstructured
	// Now is the current object, nil if it is deleted.
	Now *unstructured.Unstructured
	// Value is the Decoder's value of Now. With a Decoder, Before and Now have only namespace, name, UID and resource
	// version.
	Value any
}

// Changes starts to follow the objects of key; at first each of them is new.
func (w *Watch) Changes(key Key) *Changes {
	changes := &Changes{watch: w, pending: map[types.NamespacedName]bool{}, reported: objects{}}
	changes.reflector = w.subscribe(key, FieldFilter{})
	changes.reflector.addChanges(changes)
	return changes
}

// addChanges subscribes changes, beginning with all objects of the store.
func (r *store) addChanges(changes *Changes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes[changes] = true
	for name := range r.items {
		changes.pending[name] = true
	}
}

// Take returns the changes since the last call, sorted by namespace and name. It blocks only until the first answer of
// the API server. It fails while the list or watch fails, and returns the missed changes later.
func (c *Changes) Take(ctx context.Context) ([]Change, error) {
	if err := c.reflector.waitReady(ctx); err != nil {
		return nil, err
	}
	c.reflector.mu.Lock()
	defer c.reflector.mu.Unlock()
	if c.reflector.err != nil {
		return nil, c.reflector.err
	}
	var changes []Change
	for name := range c.pending {
		now, before := c.reflector.items[name], c.reported[name]
		if now == before || sameVersion(now.object(), before.object()) {
			continue
		}
		change := Change{Before: before.object(), Now: now.object()}
		if now != nil {
			change.Value = now.value
		}
		changes = append(changes, change)
		if c.reported[name] = now; now == nil {
			delete(c.reported, name)
		}
	}
	clear(c.pending)
	slices.SortFunc(changes, func(a, b Change) int { return byName(a.object(), b.object()) })
	return changes, nil
}

// object returns the current object, or the last known one if it is deleted.
func (c Change) object() *unstructured.Unstructured {
	if c.Now != nil {
		return c.Now
	}
	return c.Before
}
