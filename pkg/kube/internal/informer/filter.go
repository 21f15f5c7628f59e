package informer

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldFilter keeps of a list the objects that have this text in a field which the API server cannot select by, such as
// spec.clusterName of a NodePool. It is a ListOption of Client.List, which reads the whole list and returns the part;
// who waits on it under a Watch is woken by changes of the part only. The zero value keeps all.
type FieldFilter struct {
	// Field is the path, with dots in between.
	Field string
	// Value is the text there; empty also where there is no such field.
	Value string
}

// ApplyToList implements client.ListOption.
func (FieldFilter) ApplyToList(*client.ListOptions) {}

// FieldFilterOf is the last Where among options.
func FieldFilterOf(options []client.ListOption) FieldFilter {
	var found FieldFilter
	for _, o := range options {
		if w, ok := o.(FieldFilter); ok {
			found = w
		}
	}
	return found
}

// valueIn is the same field with the value that an object has there.
func (w FieldFilter) valueIn(u *unstructured.Unstructured) FieldFilter {
	value, _, _ := unstructured.NestedString(u.Object, strings.Split(w.Field, ".")...)
	return FieldFilter{w.Field, value}
}

// keyFor is the part of a list that an object is in. Of no object it is one that nobody reads.
func (w FieldFilter) keyFor(u *unstructured.Unstructured) FieldFilter {
	switch {
	case w.Field == "":
		return w
	case u == nil:
		return FieldFilter{Value: "nowhere"}
	}
	return w.valueIn(u)
}

// Filter are the items that it keeps.
func (w FieldFilter) Filter(items []*unstructured.Unstructured) []*unstructured.Unstructured {
	if w.Field == "" {
		return items
	}
	var kept []*unstructured.Unstructured
	for _, u := range items {
		if w.valueIn(u) == w {
			kept = append(kept, u)
		}
	}
	return kept
}
