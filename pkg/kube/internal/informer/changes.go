package informer

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Changes tells which objects of a selection have changed since it was asked last. However fast they change, it keeps
// at most one entry for each: what happens to an object before it is asked for comes as one change.
type Changes struct {
	watch     *Watch
	reflector *reflector
	// pending are the objects to look at, and told what was told of each last. The feed's mu guards both.
	pending  map[types.NamespacedName]bool
	reported objects
}

// Change is what became of one object. Its objects have no managed fields, are shared with the mirror and must not be
// changed.
type Change struct {
	// Before is the object as it was told last, nil if it is new.
	Before *unstructured.Unstructured
	// Now is the object as it is, nil if it is gone.
	Now *unstructured.Unstructured
}

// Changes begins to follow the objects of key.
func (w *Watch) Changes(key Key) *Changes {
	changes := &Changes{watch: w, pending: map[types.NamespacedName]bool{}, reported: objects{}}
	changes.reflector = w.subscribe(key, FieldFilter{})
	changes.reflector.addChanges(changes)
	return changes
}

// addChanges has changes told from now on, beginning with what is there.
func (r *store) addChanges(changes *Changes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes[changes] = true
	for name := range r.items {
		changes.pending[name] = true
	}
}

// Take returns what has changed since it was called last, by namespace and name, waiting only for the first answer of
// the API server. It fails while the objects cannot be seen, with the error of the list or watch; what has changed by
// then is told once they can be seen again.
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
		if now == before || sameVersion(now, before) {
			continue
		}
		changes = append(changes, Change{before, now})
		if c.reported[name] = now; now == nil {
			delete(c.reported, name)
		}
	}
	clear(c.pending)
	slices.SortFunc(changes, func(a, b Change) int { return byName(a.object(), b.object()) })
	return changes, nil
}

// object is the object as it is, or else as it was.
func (c Change) object() *unstructured.Unstructured {
	if c.Now != nil {
		return c.Now
	}
	return c.Before
}
