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

// Change is one field of an object that is to be changed.
type Change struct {
	// Path of the field, such as "spec.platform.kubevirt.compute.memory".
	Path string
	// Have is its value as it was read, Want the one it is to have; nil where there is none.
	Have, Want any
	// Keys are the parts of Path.
	Keys []string
}

// Made is OK once all changes are in an object.
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

// Compare returns the change of the field at these keys from one object to another.
func Compare(have, want map[string]any, keys []string) Change {
	return Change{Path: strings.Join(keys, "."), Keys: keys, Have: at(have, keys), Want: at(want, keys)}
}

// Differs reports whether there is something to change.
func (c Change) Differs() bool { return !reflect.DeepEqual(c.Have, c.Want) }

// String is the change for a user.
func (c Change) String() string {
	return fmt.Sprintf("%s: %s -> %s", c.Path, shown(c.Have), shown(c.Want))
}

// IsIn reports whether an object has the wanted value.
func (c Change) IsIn(object map[string]any) bool {
	return reflect.DeepEqual(at(object, c.Keys), c.Want)
}

// Settled returns the change with what the object has after the write, if a value was removed: the CRD may have a
// default for it.
func (c Change) Settled(object map[string]any) Change {
	if c.Want == nil {
		c.Want = at(object, c.Keys)
	}
	return c
}

// Patch is the merge patch that makes the changes in an object as it is now. It fails with *hostedcluster.ChangedError
// if somebody has changed one of the fields since.
func Patch(object string, now map[string]any, changes []Change) (map[string]any, error) {
	patch := map[string]any{}
	for _, c := range changes {
		is := at(now, c.Keys)
		if !reflect.DeepEqual(is, c.Have) && !reflect.DeepEqual(is, c.Want) {
			return nil, &hostedcluster.ChangedError{Object: object, Field: c.Path, Was: shown(c.Have), Is: shown(is)}
		}
		set(patch, c.Keys, mergeValue(is, c.Want))
	}
	return patch, nil
}

// shown is a value for a user.
func shown(v any) string {
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

// Merged is a map with others added and some keys removed; nil if nothing is left.
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

// at is the value at the path, nil where there is none.
func at(obj map[string]any, keys []string) any {
	v, found, err := unstructured.NestedFieldCopy(obj, keys...)
	if err != nil || !found {
		return nil
	}
	return v
}

// set puts a value at a path; unlike unstructured's it takes any value.
func set(obj map[string]any, keys []string, value any) {
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
