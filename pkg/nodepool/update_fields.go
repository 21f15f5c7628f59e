package nodepool

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// labels are those there are with others added and some removed; nil for none.
func labels(have, add any, remove []string) any {
	out := map[string]any{}
	for _, m := range []any{have, add} {
		if m, ok := m.(map[string]any); ok {
			for k, v := range m {
				out[k] = v
			}
		}
	}
	for _, k := range remove {
		delete(out, k)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// pathOf is the path of a field in "NodePool spec.arch" or "NodePool metadata.annotations[name]".
func pathOf(writes string) []string {
	_, path, _ := strings.Cut(writes, " ")
	path, key, bracket := strings.Cut(path, "[")
	parts := strings.Split(path, ".")
	if bracket {
		parts = append(parts, strings.TrimSuffix(key, "]"))
	}
	return parts
}

// at is the value at the path, nil where there is none.
func at(obj map[string]any, path []string) any {
	v, found, err := unstructured.NestedFieldCopy(obj, path...)
	if err != nil || !found {
		return nil
	}
	return v
}

// set puts a value at a path; unlike unstructured's it takes any value.
func set(obj map[string]any, path []string, value any) {
	for _, p := range path[:len(path)-1] {
		inner, ok := obj[p].(map[string]any)
		if !ok {
			inner = map[string]any{}
			obj[p] = inner
		}
		obj = inner
	}
	obj[path[len(path)-1]] = value
}

// mergeValue makes a merge patch of a value that replaces another: keys of a map that are to go are named.
func mergeValue(have, want any) any {
	w, ok := want.(map[string]any)
	h, was := have.(map[string]any)
	if !ok || !was {
		return want
	}
	out := map[string]any{}
	for k := range h {
		out[k] = nil
	}
	for k, v := range w {
		out[k] = v
	}
	return out
}
