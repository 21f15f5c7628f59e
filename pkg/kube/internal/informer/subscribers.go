package informer

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// remember has w woken by changes of what where keeps, from now on.
func (r *store) remember(w *Watch, where Where) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers[w] == nil {
		r.readers[w] = map[Where]bool{}
	}
	if r.readers[w][where] {
		return
	}
	r.readers[w][where] = true
	if r.parts[where] == nil {
		r.parts[where] = map[*Watch]bool{}
		r.fields[where.Field]++
	}
	r.parts[where][w] = true
}

// forget ends that.
func (r *store) forget(w *Watch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for where := range r.readers[w] {
		delete(r.parts[where], w)
		if len(r.parts[where]) > 0 {
			continue
		}
		delete(r.parts, where)
		if r.fields[where.Field]--; r.fields[where.Field] == 0 {
			delete(r.fields, where.Field)
		}
	}
	delete(r.readers, w)
	for c := range r.changes {
		if c.watch == w {
			delete(r.changes, c)
		}
	}
}

func (r *store) unwanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.readers) == 0
}

// wakeAll wakes every step that reads from the replica. The caller holds mu.
func (r *store) wakeAll() {
	for w := range r.readers {
		w.wake()
	}
}

// changed wakes those whom a change of one object concerns: who reads a part that has it, or had it. The caller holds
// mu.
func (r *store) changed(name types.NamespacedName, before, now *unstructured.Unstructured) {
	for c := range r.changes {
		c.pending[name] = true
	}
	for field := range r.fields {
		was, is := Where{Field: field}.part(before), Where{Field: field}.part(now)
		for w := range r.parts[was] {
			w.wake()
		}
		if is == was {
			continue
		}
		for w := range r.parts[is] {
			w.wake()
		}
	}
}
