package informer

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// subscribe wakes w on changes of objects that match where.
func (r *store) subscribe(w *Watch, where FieldFilter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.filters[w] == nil {
		r.filters[w] = map[FieldFilter]bool{}
	}
	if r.filters[w][where] {
		return
	}
	r.filters[w][where] = true
	if r.subscribers[where] == nil {
		r.subscribers[where] = map[*Watch]bool{}
		r.fields[where.Field]++
	}
	r.subscribers[where][w] = true
}

// unsubscribe removes all subscriptions of w.
func (r *store) unsubscribe(w *Watch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for where := range r.filters[w] {
		delete(r.subscribers[where], w)
		if len(r.subscribers[where]) > 0 {
			continue
		}
		delete(r.subscribers, where)
		if r.fields[where.Field]--; r.fields[where.Field] == 0 {
			delete(r.fields, where.Field)
		}
	}
	delete(r.filters, w)
	for c := range r.changes {
		if c.watch == w {
			delete(r.changes, c)
		}
	}
}

func (r *store) unused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.filters) == 0
}

// wakeAll wakes every subscriber. The caller holds mu.
func (r *store) wakeAll() {
	for w := range r.filters {
		w.wake()
	}
}

// notify wakes the subscribers whose filter matches the object before or after the change. The caller holds mu.
func (r *store) notify(name types.NamespacedName, before, now *unstructured.Unstructured) {
	for c := range r.changes {
		c.pending[name] = true
	}
	for field := range r.fields {
		was, is := FieldFilter{Field: field}.keyFor(before), FieldFilter{Field: field}.keyFor(now)
		for w := range r.subscribers[was] {
			w.wake()
		}
		if is == was {
			continue
		}
		for w := range r.subscribers[is] {
			w.wake()
		}
	}
}
