package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
)

// Text returns the string at the path, or "" if there is none.
func Text(u *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(u.Object, path...)
	return s
}

// Number returns the whole number at the path, or 0 if there is none.
func Number(u *unstructured.Unstructured, path ...string) int64 {
	n, _, _ := unstructured.NestedInt64(u.Object, path...)
	return n
}

// Flag returns the boolean at the path, or false if there is none.
func Flag(u *unstructured.Unstructured, path ...string) bool {
	b, _, _ := unstructured.NestedBool(u.Object, path...)
	return b
}

// Has reports whether the object has a value at the path.
func Has(u *unstructured.Unstructured, path ...string) bool {
	_, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	return found && err == nil
}

// Texts returns the list of strings at the path, or nil if there is none.
func Texts(u *unstructured.Unstructured, path ...string) []string {
	l, _, _ := unstructured.NestedStringSlice(u.Object, path...)
	return l
}

// Maps returns the list of maps at the path, without items of another type.
func Maps(u *unstructured.Unstructured, path ...string) []map[string]any {
	list, _, _ := unstructured.NestedSlice(u.Object, path...)
	out := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// readAs reads an object into a struct with some of its fields. A field of the wrong type is an error.
func readAs(ctx context.Context, r Reader, k Kind, key client.ObjectKey, into any) error {
	u := k.New()
	if err := r.Get(ctx, key, u); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into)
}

// Name returns "namespace/name", or the name alone for a cluster-scoped object.
func Name(o client.Object) string { return object.Name(o) }

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
