package fields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// Change is the change of one field of an object.
type Change struct {
	// Path is the path of the field, such as "spec.platform.kubevirt.compute.memory".
	Path string
	// Have is the value that was read, Want the requested one; nil if there is none.
	Have, Want any
	// Keys has the parts of Path.
	Keys []string
}

// Made is OK if all changes are in an object.
func Made(changes []Change, now map[string]any) step.Finding {
	var differ []string
	for _, c := range changes {
		if !c.IsIn(now) {
			differ = append(differ, c.String())
		}
	}
	if len(differ) > 0 {
		return step.Missing("%s", strings.Join(differ, "; "))
	}
	return step.OK("has the requested settings")
}

// Compare returns the change of the field at keys from one object to another.
func Compare(have, want map[string]any, keys []string) Change {
	return Change{Path: strings.Join(keys, "."), Keys: keys, Have: valueAt(have, keys), Want: valueAt(want, keys)}
}

// Differs reports whether Have and Want differ.
func (c Change) Differs() bool { return !reflect.DeepEqual(c.Have, c.Want) }

// String returns the path with the old and the new value.
func (c Change) String() string {
	return fmt.Sprintf("%s: %s -> %s", c.Path, format(c.Have), format(c.Want))
}

// IsIn reports whether an object has the requested value.
func (c Change) IsIn(object map[string]any) bool {
	return reflect.DeepEqual(valueAt(object, c.Keys), c.Want)
}

// Settled returns the change after the write to object. If the value was removed, the object may have the CRD's
// default.
func (c Change) Settled(object map[string]any) Change {
	if c.Want == nil {
		c.Want = valueAt(object, c.Keys)
	}
	return c
}

// Patch returns the merge patch that makes the changes in the current object. It fails with *hostedcluster.ChangedError
// if another client changed one of the fields meanwhile.
func Patch(object string, now map[string]any, changes []Change) (map[string]any, error) {
	patch := map[string]any{}
	for _, c := range changes {
		is := valueAt(now, c.Keys)
		if !reflect.DeepEqual(is, c.Have) && !reflect.DeepEqual(is, c.Want) {
			return nil, &hostedcluster.ChangedError{Object: object, Field: c.Path, Was: format(c.Have), Is: format(is)}
		}
		setAt(patch, c.Keys, mergeValue(is, c.Want))
	}
	return patch, nil
}

// format returns a value as text.
func format(v any) string {
	if v == nil {
		return "not set"
	}
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// Merged returns a map with added and removed keys; nil if it is empty.
func Merged(have, add any, remove []string) any {
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

// valueAt returns the value at the path, or nil.
func valueAt(obj map[string]any, keys []string) any {
	v, found, err := unstructured.NestedFieldCopy(obj, keys...)
	if err != nil || !found {
		return nil
	}
	return v
}

// setAt sets a value of any type at a path; unstructured.SetNestedField accepts only JSON types.
func setAt(obj map[string]any, keys []string, value any) {
	for _, p := range keys[:len(keys)-1] {
		inner, ok := obj[p].(map[string]any)
		if !ok {
			inner = map[string]any{}
			obj[p] = inner
		}
		obj = inner
	}
	obj[keys[len(keys)-1]] = value
}

// mergeValue returns a merge patch that replaces a value: it sets removed keys of a map to nil.
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
