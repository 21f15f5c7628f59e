package informer

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// FieldFilter is a ListOption of Client.List that keeps the objects with this value in a field. It is for fields
// without a field selector in the API, such as spec.clusterName of a NodePool.
//
// The client reads the whole list and filters it. Only changes of matching objects wake a Watch. The zero value keeps
// all objects.
type FieldFilter struct {
	// Field is the path of the field, separated by dots.
	Field string
	// Value is the value of the field, "" for a missing field.
	Value string
}

// ApplyToList implements client.ListOption.
func (FieldFilter) ApplyToList(*client.ListOptions) {}

// FieldFilterOf returns the last FieldFilter in options.
func FieldFilterOf(options []client.ListOption) FieldFilter {
	var found FieldFilter
	for _, o := range options {
		if w, ok := o.(FieldFilter); ok {
			found = w
		}
	}
	return found
}

// valueIn returns a filter for the value that the object has in this field.
func (w FieldFilter) valueIn(u *unstructured.Unstructured) FieldFilter {
	value, _, _ := unstructured.NestedString(u.Object, strings.Split(w.Field, ".")...)
	return FieldFilter{w.Field, value}
}

// keyFor returns the filter that matches the object. For nil it returns one without subscribers.
func (w FieldFilter) keyFor(u *unstructured.Unstructured) FieldFilter {
	switch {
	case w.Field == "":
		return w
	case u == nil:
		return FieldFilter{Value: "nowhere"}
	}
	return w.valueIn(u)
}

// Filter returns the items that match.
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
