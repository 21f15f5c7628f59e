package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// applyCommand: apply FILE
//
// writes the YAML documents of a file, server-side, as somebody who is not hcctl.
func applyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: apply FILE")
	}
	ts.Check(clusterOf(ts).apply([]byte(ts.ReadFile(args[0]))))
}

// mergeCommand: merge KIND [NAMESPACE/]NAME PATCH [MANAGER]
//
// changes an object by a JSON merge patch, as somebody who is not hcctl: with that field manager, or hcctl-e2e.
func mergeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 && len(args) != 4 {
		ts.Fatalf("usage: merge KIND [NAMESPACE/]NAME PATCH [MANAGER]")
	}
	manager := "hcctl-e2e"
	if len(args) == 4 {
		manager = args[3]
	}
	ts.Check(clusterOf(ts).merge(args[0], args[1], args[2], manager))
}

// merge changes an object by a JSON merge patch.
func (c *cluster) merge(kind, at, patch, manager string) error {
	r, name, err := c.one(kind, at)
	if err != nil {
		return err
	}
	ctx, cancel := requestContext()
	defer cancel()
	_, err = r.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager})
	return err
}

// deleteCommand: delete KIND [NAMESPACE/]NAME
//
// asks the API server to delete an object; it does not wait.
func deleteCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: delete KIND [NAMESPACE/]NAME")
	}
	r, name, err := clusterOf(ts).one(args[0], args[1])
	ts.Check(err)
	ctx, cancel := requestContext()
	defer cancel()
	ts.Check(r.Delete(ctx, name, metav1.DeleteOptions{}))
}

func (c *cluster) apply(documents []byte) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(documents), 4096)
	for {
		var obj unstructured.Unstructured
		if err := decoder.Decode(&obj); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := c.applyOne(&obj); err != nil {
			return fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
}

// mapping is how the server calls a kind, which may be served since a moment ago.
func (c *cluster) mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	if c.mapper != nil {
		if m, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
			return m, nil
		}
	}
	c.mapper = nil
	if _, err := c.kind("namespaces"); err != nil {
		return nil, err
	}
	return c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
}

func (c *cluster) applyOne(obj *unstructured.Unstructured) error {
	gvk := obj.GroupVersionKind()
	m, err := c.mapping(gvk)
	if err != nil {
		return err
	}
	ctx, cancel := requestContext()
	defer cancel()
	_, err = c.dynamic.Resource(m.Resource).
		Namespace(obj.GetNamespace()).
		Apply(ctx, obj.GetName(), obj, metav1.ApplyOptions{FieldManager: "hcctl-e2e"})
	return err
}
