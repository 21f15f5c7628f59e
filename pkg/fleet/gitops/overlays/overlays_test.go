package overlays_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/fleet/gitops/overlays"
)

type object = map[string]any

func pool(namespace, name string, replicas int64, labels object) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": object{"namespace": namespace, "name": name, "labels": labels},
		"spec": object{"clusterName": name, "replicas": replicas, "nodeLabels": labels, "taints": []any{},
			"platform": object{"type": "KubeVirt"}}}}
}

func namespace(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}}}
}

func environments() []overlays.Environment {
	return []overlays.Environment{
		{Name: "dev", Objects: []*unstructured.Unstructured{namespace("dev"),
			pool("dev", "a", 1, object{"env": "dev", "team/x~y": "1"})}},
		{Name: "prod", Objects: []*unstructured.Unstructured{namespace("prod"),
			pool("prod", "a", 3, object{"env": "prod"}), pool("prod", "only", 2, object{"env": "prod"})}},
	}
}

// built is what kustomize makes of an overlay: the base's resources with the patches of their targets, and its own. It
// refuses what kustomize refuses: a file that is not there or that nothing names, a patch without its target.
func built(t *testing.T, files map[string][]byte, dir string) []object {
	t.Helper()
	read := func(name string, into any) {
		t.Helper()
		data, there := files[name]
		if !there {
			t.Fatalf("there is no %s", name)
		}
		if err := yaml.UnmarshalStrict(data, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var k struct {
		APIVersion, Kind string
		Resources        []string
		Patches          []struct {
			Path   string
			Target struct{ Group, Version, Kind, Name string }
		}
	}
	read(path.Join(dir, "kustomization.yaml"), &k)
	var all []object
	for _, resource := range k.Resources {
		if files[path.Join(dir, resource)] == nil {
			all = append(all, built(t, files, path.Join(dir, resource))...)
			continue
		}
		var one object
		read(path.Join(dir, resource), &one)
		all = append(all, one)
	}
	for _, p := range k.Patches {
		var operations []any
		read(path.Join(dir, p.Path), &operations)
		raw, _ := json.Marshal(operations)
		patch, err := jsonpatch.DecodePatch(raw)
		if err != nil {
			t.Fatal(err)
		}
		hits := 0
		for i, o := range all {
			version := strings.TrimPrefix(p.Target.Group+"/"+p.Target.Version, "/")
			if o["kind"] != p.Target.Kind || o["apiVersion"] != version || o["metadata"].(object)["name"] != p.Target.Name {
				continue
			}
			hits++
			document, _ := json.Marshal(o)
			if document, err = patch.Apply(document); err != nil {
				t.Fatalf("%s: %v", p.Path, err)
			}
			all[i] = object{}
			if err := json.Unmarshal(document, &all[i]); err != nil {
				t.Fatal(err)
			}
		}
		if hits != 1 {
			t.Errorf("%s has %d targets", p.Path, hits)
		}
	}
	return all
}

// TestOverlaysMakeTheObjects: base and overlay together are each environment's objects again, and the base has what is
// shared and no more.
func TestOverlaysMakeTheObjects(t *testing.T) {
	list, err := overlays.Files(environments())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range list {
		files[f.Path] = f.Data
	}
	for _, e := range environments() {
		byName := map[string]object{}
		for _, o := range built(t, files, "overlays/"+e.Name) {
			byName[o["kind"].(string)+o["metadata"].(object)["name"].(string)] = o
		}
		if len(byName) != len(e.Objects) {
			t.Errorf("%s: %d objects, want %d", e.Name, len(byName), len(e.Objects))
		}
		for _, u := range e.Objects {
			data, _ := json.Marshal(u.Object)
			var want object
			_ = json.Unmarshal(data, &want)
			if diff := cmp.Diff(want, byName[u.GetKind()+u.GetName()]); diff != "" {
				t.Errorf("%s, %s %s (-want +got):\n%s", e.Name, u.GetKind(), u.GetName(), diff)
			}
		}
	}
	var base object
	if err := yaml.Unmarshal(files["base/nodepool-a.yaml"], &base); err != nil {
		t.Fatal(err)
	}
	want := object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool", "metadata": object{"name": "a"},
		"spec": object{"clusterName": "a", "taints": []any{}, "platform": object{"type": "KubeVirt"}}}
	if diff := cmp.Diff(want, base); diff != "" {
		t.Errorf("base (-want +got):\n%s", diff)
	}
	if files["overlays/prod/nodepool-only.yaml"] == nil || files["overlays/dev/nodepool-only.yaml"] != nil {
		t.Error("the pool of prod alone is not there alone")
	}
}

func TestSameNames(t *testing.T) {
	all := []overlays.Environment{{Name: "dev", Objects: []*unstructured.Unstructured{pool("x", "a", 1, nil),
		pool("y", "a", 1, nil)}}}
	if _, err := overlays.Files(all); err == nil || !strings.Contains(err.Error(), "environment dev has two objects NodePool a") {
		t.Errorf("%v", err)
	}
}

// TestNothingShared: environments without common objects need no base, which kustomize would refuse as empty.
func TestNothingShared(t *testing.T) {
	files, err := overlays.Files([]overlays.Environment{{Name: "a", Objects: []*unstructured.Unstructured{namespace("a")}},
		{Name: "b", Objects: []*unstructured.Unstructured{namespace("b")}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Path, "base/") || strings.Contains(string(f.Data), "base") {
			t.Errorf("%s: %s", f.Path, f.Data)
		}
	}
}

// TestNoEnvironments: a file without environments is a base alone.
func TestNoEnvironments(t *testing.T) {
	files, err := overlays.Files([]overlays.Environment{{Objects: []*unstructured.Unstructured{namespace("a")}}})
	if err != nil || len(files) != 2 || files[0].Path != "base/kustomization.yaml" {
		t.Errorf("%v, %v", files, err)
	}
}
