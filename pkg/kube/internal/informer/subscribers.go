package informer

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// subscribe has w woken by changes of what where keeps, from now on.
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

// unsubscribe ends that.
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

// wakeAll wakes every step that reads from the replica. The caller holds mu.
func (r *store) wakeAll() {
	for w := range r.filters {
		w.wake()
	}
}

// notify wakes those whom a change of one object concerns: who reads a part that has it, or had it. The caller holds
// mu.
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
