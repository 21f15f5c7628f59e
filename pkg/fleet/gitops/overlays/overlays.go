package overlays

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Environment is one environment with its objects, in the order of application.
type Environment struct {
	// Name is the name of the overlay's directory. Without a name there is only a base.
	Name    string
	Objects []*unstructured.Unstructured
}

// File is one file; its path is relative to the directory, with slashes.
type File struct {
	Path string
	Data []byte
}

// identity identifies an object in an environment, as kustomize does. It has no namespace, because namespaces
// differ between environments.
type identity struct{ apiVersion, kind, name string }

func identityOf(u *unstructured.Unstructured) identity {
	return identity{u.GetAPIVersion(), u.GetKind(), u.GetName()}
}

// file returns the name of the object's file.
func (id identity) file() string { return strings.ToLower(id.kind) + "-" + id.name + ".yaml" }

// Files returns the base and the overlays. The base has the fields that all environments share. Each overlay
// adds the differing fields with JSON patches, and the objects that not all environments have. Two objects of
// one environment with the same kind and name are an error.
func Files(environments []Environment) ([]File, error) {
	byName := make([]map[identity]map[string]any, len(environments))
	for i, e := range environments {
		byName[i] = map[identity]map[string]any{}
		for _, u := range e.Objects {
			id := identityOf(u)
			if byName[i][id] != nil {
				return nil, fmt.Errorf("environment %s has two objects %s %s: kustomize tells objects of an overlay apart by "+
					"kind and name, so give clusters of one environment names that differ", e.Name, id.kind, id.name)
			}
			byName[i][id] = u.Object
		}
	}
	base := common(environments, byName)
	var files []File
	var resources []any
	for _, u := range environments[0].Objects {
		id := identityOf(u)
		if base[id] == nil {
			continue
		}
		data, err := document(base[id])
		if err != nil {
			return nil, err
		}
		files = append(files, File{"base/" + id.file(), data})
		resources = append(resources, id.file())
	}
	if len(resources) > 0 {
		data, err := kustomization(resources, nil)
		if err != nil {
			return nil, err
		}
		files = append(files, File{"base/kustomization.yaml", data})
	}
	for i, e := range environments {
		if e.Name == "" {
			continue
		}
		own, err := overlay(e, byName[i], base)
		if err != nil {
			return nil, err
		}
		files = append(files, own...)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// common returns the objects that all environments have, with the fields that are equal in all.
func common(environments []Environment, byName []map[identity]map[string]any) map[identity]map[string]any {
	base := map[identity]map[string]any{}
	for _, u := range environments[0].Objects {
		id, shared, everywhere := identityOf(u), any(u.Object), true
		for _, other := range byName[1:] {
			if other[id] == nil {
				everywhere = false
				break
			}
			shared, _ = intersection(shared, other[id])
		}
		if everywhere {
			base[id], _ = shared.(map[string]any)
		}
	}
	return base
}

// intersection returns what two values share; false if that is nothing. A list is shared as a whole or not at
// all.
func intersection(a, b any) (any, bool) {
	left, leftIs := a.(map[string]any)
	right, rightIs := b.(map[string]any)
	if !leftIs || !rightIs {
		return a, reflect.DeepEqual(a, b)
	}
	shared := map[string]any{}
	for key, value := range left {
		if other, there := right[key]; there {
			if same, some := intersection(value, other); some {
				shared[key] = same
			}
		}
	}
	return shared, len(shared) > 0 || len(left) == 0 && len(right) == 0
}

// overlay returns the files of one environment.
func overlay(e Environment, all map[identity]map[string]any, base map[identity]map[string]any) ([]File, error) {
	dir := "overlays/" + e.Name + "/"
	var files []File
	var resources, patches []any
	if len(base) > 0 {
		resources = append(resources, "../../base")
	}
	for _, u := range e.Objects {
		id := identityOf(u)
		if base[id] == nil {
			data, err := document(all[id])
			if err != nil {
				return nil, err
			}
			files, resources = append(files, File{dir + id.file(), data}), append(resources, id.file())
			continue
		}
		operations := additions(base[id], all[id], "")
		if len(operations) == 0 {
			continue
		}
		data, err := document(operations)
		if err != nil {
			return nil, err
		}
		name := "patch-" + id.file()
		target := map[string]any{"kind": id.kind, "name": id.name}
		if group, version, grouped := strings.Cut(id.apiVersion, "/"); grouped {
			target["group"], target["version"] = group, version
		} else {
			target["version"] = id.apiVersion
		}
		files = append(files, File{dir + name, data})
		patches = append(patches, map[string]any{"path": name, "target": target})
	}
	data, err := kustomization(resources, patches)
	return append(files, File{dir + "kustomization.yaml", data}), err
}

// additions returns the operations of a JSON patch (RFC 6902) that turn shared into whole.
func additions(shared, whole map[string]any, path string) []any {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var out []any
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		at := path + "/" + escape.Replace(key)
		have, there := shared[key]
		left, leftIs := have.(map[string]any)
		right, rightIs := whole[key].(map[string]any)
		switch {
		case there && leftIs && rightIs:
			out = append(out, additions(left, right, at)...)
		case !there || !reflect.DeepEqual(have, whole[key]):
			out = append(out, map[string]any{"op": "add", "path": at, "value": whole[key]})
		}
	}
	return out
}

func kustomization(resources, patches []any) ([]byte, error) {
	k := map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": resources}
	if len(patches) > 0 {
		k["patches"] = patches
	}
	return document(k)
}

func document(v any) ([]byte, error) {
	data, err := sanitize.YAML(v)
	if err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(data, []byte("---\n")), nil
}
