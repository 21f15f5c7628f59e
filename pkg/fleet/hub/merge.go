package hub

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
)

// merge updates the objects of an existing ManifestWork as apply does on one management cluster: it adds missing
// objects, adjusts pools by name, and keeps all else. left lists the fields that differ and stay.
func merge(have, want []*unstructured.Unstructured, adjust map[string]creation.Adjust) (
	merged []*unstructured.Unstructured, left []string, err error) {
	for _, u := range have {
		merged = append(merged, u.DeepCopy())
	}
	for _, w := range want {
		i := slices.IndexFunc(merged, func(u *unstructured.Unstructured) bool { return same(u, w) })
		if i < 0 {
			merged = append(merged, w)
			continue
		}
		if w.GetKind() == kube.NodePool.Kind {
			if err := adjustPool(merged[i], w, adjust[w.GetName()]); err != nil {
				return nil, nil, err
			}
		}
		if _, stopped := merged[i].GetAnnotations()[hostedcluster.StoppedAnnotation]; stopped {
			w = w.DeepCopy()
			for _, size := range []string{"replicas", "autoScaling"} {
				unstructured.RemoveNestedField(w.Object, "spec", size)
				if value, there, _ := unstructured.NestedFieldCopy(merged[i].Object, "spec", size); there {
					_ = unstructured.SetNestedField(w.Object, value, "spec", size)
				}
			}
		}
		current, wanted := objects.WithoutDefaults(merged[i]), objects.WithoutDefaults(w)
		for _, field := range differing(current.Object["spec"], wanted.Object["spec"], "spec") {
			left = append(left, fmt.Sprintf("%s %s: %s", w.GetKind(), kube.Name(w), field))
		}
	}
	return merged, left, nil
}

// same reports whether two objects have the same kind, namespace and name.
func same(a, b *unstructured.Unstructured) bool {
	return a.GroupVersionKind().GroupKind() == b.GroupVersionKind().GroupKind() && a.GetName() == b.GetName() &&
		a.GetNamespace() == b.GetNamespace()
}

// poolOf decodes a NodePool.
func poolOf(u *unstructured.Unstructured) (*hyperv1.NodePool, error) {
	np := &hyperv1.NodePool{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, np); err != nil {
		return nil, fmt.Errorf("NodePool %s: %w", kube.Name(u), err)
	}
	return np, nil
}

// setSize sets the size of a pool.
func setSize(u *unstructured.Unstructured, size hostedcluster.Size) {
	spec, _ := u.Object["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
		u.Object["spec"] = spec
	}
	delete(spec, "replicas")
	delete(spec, "autoScaling")
	if size.Auto {
		spec["autoScaling"] = map[string]any{"min": int64(size.Min), "max": int64(size.Max)}
		return
	}
	spec["replicas"] = int64(size.Min)
}

// adjustPool sets the fields of a pool that Adjust selects.
func adjustPool(have, want *unstructured.Unstructured, what creation.Adjust) error {
	wanted, err := poolOf(want)
	if err != nil {
		return err
	}
	if _, stopped := have.GetAnnotations()[hostedcluster.StoppedAnnotation]; what.Size && !stopped {
		setSize(have, hostedcluster.SizeOf(wanted))
	}
	for _, field := range []struct {
		name  string
		given bool
	}{{"nodeLabels", what.NodeLabels}, {"taints", what.Taints}} {
		if !field.given {
			continue
		}
		unstructured.RemoveNestedField(have.Object, "spec", field.name)
		if value, there, _ := unstructured.NestedFieldCopy(want.Object, "spec", field.name); there {
			if err := unstructured.SetNestedField(have.Object, value, "spec", field.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxDifferences limits the list of fields that differ.
const maxDifferences = 5

// differing returns the paths of fields in which two values differ, sorted.
func differing(have, want any, path string) []string {
	left, leftIs := have.(map[string]any)
	right, rightIs := want.(map[string]any)
	if !leftIs || !rightIs {
		if reflect.DeepEqual(have, want) || empty(have) && empty(want) {
			return nil
		}
		return []string{path}
	}
	keys := maps.Clone(left)
	maps.Copy(keys, right)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if out = append(out, differing(left[key], right[key], path+"."+key)...); len(out) >= maxDifferences {
			return out[:maxDifferences]
		}
	}
	return out
}

// empty reports whether a value is nil, or an empty map or list.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
