package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/internal/jsonpatch"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// CheckPatches applies the patches of the options to the objects that they change. It returns an *options.Error.
func CheckPatches(o options.Validated, in Inputs) error {
	try := func(obj client.Object, patch options.Patch, check func(map[string]any) error) error {
		made, err := patched(obj, patch)
		if err != nil {
			return options.Errorf("patches", "", "%v", err)
		}
		return check(recorded(made.GetAnnotations()))
	}
	errs := []error{try(UnpatchedHostedCluster(o, in), o.Patches, o.CheckChanges)}
	for i, pool := range o.NodePools {
		errs = append(errs, option.InPool(try(TypedNodePool(o, pool, in), pool.Patches, pool.CheckChanges), i))
	}
	return errors.Join(errs...)
}

// patched returns the object with the patch applied, and with an annotation that records the changes.
func patched(obj client.Object, patch options.Patch) (client.Object, error) {
	if patch.IsZero() {
		return obj, nil
	}
	before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return obj, err
	}
	delete(before, "status")
	withoutNulls(before)
	after, err := apply(patch, before)
	if err != nil {
		return obj, err
	}
	changes := mergeBetween(before, after)
	withoutNulls(after)
	record, err := json.Marshal(changes)
	if err != nil {
		return obj, err
	}
	u := &unstructured.Unstructured{Object: after}
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[hostedcluster.PatchesAnnotation] = string(record)
	u.SetAnnotations(annotations)
	return u, nil
}

// apply returns a copy of an object's content with the patch applied.
func apply(patch options.Patch, content map[string]any) (map[string]any, error) {
	if patch.Operations == nil {
		after := runtime.DeepCopyJSON(content)
		Merge(after, patch.Merge)
		return after, nil
	}
	document, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	if document, err = jsonpatch.Apply(patch.Operations, document); err != nil {
		return nil, fmt.Errorf("does not fit what hcctl writes: %w; add what is around it first, or give a merge patch", err)
	}
	after := map[string]any{}
	return after, utiljson.Unmarshal(document, &after)
}

// Merge applies a merge patch to an object's content.
func Merge(into, patch map[string]any) {
	for key, value := range patch {
		fields, nested := value.(map[string]any)
		have, exists := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case nested && exists:
			Merge(have, fields)
		case nested:
			made := map[string]any{}
			Merge(made, fields)
			into[key] = made
		default:
			into[key] = value
		}
	}
}

// mergeBetween returns the merge patch that turns one object into another.
func mergeBetween(before, after map[string]any) map[string]any {
	out := map[string]any{}
	for key, was := range before {
		if _, stays := after[key]; !stays && fields.Text(was) != "" { // the Go types write unset strings as ""
			out[key] = nil
		}
	}
	for key, value := range after {
		was, had := before[key]
		inner, isMap := value.(map[string]any)
		outer, wasMap := was.(map[string]any)
		switch {
		case isMap && wasMap:
			if changes := mergeBetween(outer, inner); len(changes) > 0 {
				out[key] = changes
			}
		case !had || !sameJSON(was, value):
			out[key] = value
		}
	}
	return out
}

func sameJSON(a, b any) bool {
	left, errLeft := json.Marshal(a)
	right, errRight := json.Marshal(b)
	return errLeft == nil && errRight == nil && string(left) == string(right)
}

// PatchChange is the change that applies a patch to an existing object: the patched fields that the object lacks, and
// the fields that only an earlier patch changed.
type PatchChange struct {
	// Fields is the merge patch; empty if nothing has to be written.
	Fields map[string]any
	// Differences describe the change for a user.
	Differences []Difference
}

func (c PatchChange) String() string {
	if len(c.Differences) == 0 {
		return "the record of its patch is renewed"
	}
	return Describe(c.Differences)
}

// PatchOf compares the patch of a wanted object with the existing object. unpatched is the wanted object without the
// patch. Fields that still have the value of an earlier patch are reset.
func PatchOf(have, want, unpatched client.Object) PatchChange {
	is, wanted, base := Content(have), Content(want), Content(unpatched)
	was, next := recorded(have.GetAnnotations()), recorded(want.GetAnnotations())
	change := PatchChange{Fields: map[string]any{}}
	set := func(path []string, value any) {
		has, _, _ := unstructured.NestedFieldNoCopy(is, path...)
		_ = unstructured.SetNestedField(change.Fields, runtime.DeepCopyJSONValue(value), path...)
		change.Differences = append(change.Differences,
			Difference{strings.Join(path, "."), orNotSet(plainValue(has)), orNotSet(plainValue(value))})
	}
	option.Leaves(next, nil, func(path []string, _ any) {
		has, _, _ := unstructured.NestedFieldNoCopy(is, path...)
		value, _, _ := unstructured.NestedFieldNoCopy(wanted, path...)
		before, _, _ := unstructured.NestedFieldNoCopy(was, path...)
		if !includes(has, value) || !sameJSON(before, value) && !sameJSON(has, value) {
			set(path, value)
		}
	})
	option.Leaves(was, nil, func(path []string, _ any) {
		has, _, _ := unstructured.NestedFieldNoCopy(is, path...)
		written, _, _ := unstructured.NestedFieldNoCopy(was, path...)
		value, _, _ := unstructured.NestedFieldNoCopy(base, path...)
		if !reaches(next, path) && includes(has, written) && !includes(value, written) {
			set(emptiedPrefix(path, is, was, wanted), value)
		}
	})
	text, given := want.GetAnnotations()[hostedcluster.PatchesAnnotation]
	if old, had := have.GetAnnotations()[hostedcluster.PatchesAnnotation]; old != text || had != given {
		var value any
		if given {
			value = text
		}
		_ = unstructured.SetNestedField(change.Fields, value, "metadata", "annotations", hostedcluster.PatchesAnnotation)
	}
	return change
}

// emptiedPrefix returns the shortest prefix of a path below which only an earlier patch wrote fields, and no field is
// wanted. Removing the whole map matters, because the CRD may refuse an empty one.
func emptiedPrefix(path []string, is, was, wanted map[string]any) []string {
	for len(path) > 2 { // keep at least spec and its field
		above := path[:len(path)-1]
		has, _, _ := unstructured.NestedMap(is, above...)
		wrote, _, _ := unstructured.NestedMap(was, above...)
		_, stays, _ := unstructured.NestedFieldNoCopy(wanted, above...)
		if stays || slices.ContainsFunc(slices.Collect(maps.Keys(has)), func(key string) bool {
			_, own := wrote[key]
			return !own
		}) {
			break
		}
		path = above
	}
	return path
}

// reaches reports whether a merge patch changes the field at a path, or a field around it.
func reaches(patch map[string]any, path []string) bool {
	at := any(patch)
	for _, key := range path {
		m, isMap := at.(map[string]any)
		if !isMap {
			return true
		}
		value, exists := m[key]
		if !exists {
			return false
		}
		at = value
	}
	return true
}

// Patches reports whether the patch in an object changes the field at a dotted path. --operator-configuration does not
// count as a patch of the user.
func Patches(obj client.Object, path string) bool {
	return !strings.HasPrefix(path+".", "spec.operatorConfiguration.") &&
		reaches(recorded(obj.GetAnnotations()), option.Dotted(path)) &&
		obj.GetAnnotations()[hostedcluster.PatchesAnnotation] != ""
}

// recorded returns the merge patch in PatchesAnnotation; empty if it cannot be parsed.
func recorded(annotations map[string]string) map[string]any {
	patch := map[string]any{}
	_ = utiljson.Unmarshal([]byte(annotations[hostedcluster.PatchesAnnotation]), &patch)
	return patch
}

// includes reports whether have contains want. Fields that the API server has defaulted are ignored.
func includes(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		has, ok := have.(map[string]any)
		for key, value := range want {
			ok = ok && includes(has[key], value)
		}
		return ok
	case []any:
		has, ok := have.([]any)
		ok = ok && len(has) == len(want)
		for i := range want {
			ok = ok && includes(has[i], want[i])
		}
		return ok
	}
	return plainValue(have) == plainValue(want)
}

// Content returns the JSON of an object as a map.
func Content(obj client.Object) map[string]any {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil
	}
	return m
}
