package informer

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Where keeps of a list the objects that have this text in a field which the API server cannot select by, such as
// spec.clusterName of a NodePool. It is a ListOption of Client.List, which reads the whole list and returns the part;
// who waits on it under a Watch is woken by changes of the part only. The zero value keeps all.
type Where struct {
	// Field is the path, with dots in between.
	Field string
	// Value is the text there; empty also where there is no such field.
	Value string
}

// ApplyToList implements client.ListOption.
func (Where) ApplyToList(*client.ListOptions) {}

// WhereOf is the last Where among options.
func WhereOf(options []client.ListOption) Where {
	var found Where
	for _, o := range options {
		if w, ok := o.(Where); ok {
			found = w
		}
	}
	return found
}

// in is the same field with the value that an object has there.
func (w Where) in(u *unstructured.Unstructured) Where {
	value, _, _ := unstructured.NestedString(u.Object, strings.Split(w.Field, ".")...)
	return Where{w.Field, value}
}

// part is the part of a list that an object is in. Of no object it is one that nobody reads.
func (w Where) part(u *unstructured.Unstructured) Where {
	switch {
	case w.Field == "":
		return w
	case u == nil:
		return Where{Value: "nowhere"}
	}
	return w.in(u)
}

// Of are the items that it keeps.
func (w Where) Of(items []*unstructured.Unstructured) []*unstructured.Unstructured {
	if w.Field == "" {
		return items
	}
	var kept []*unstructured.Unstructured
	for _, u := range items {
		if w.in(u) == w {
			kept = append(kept, u)
		}
	}
	return kept
}
