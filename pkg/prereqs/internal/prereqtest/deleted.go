package prereqtest

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Deleted is a YAML document's object while somebody has deleted it and a finalizer keeps it.
func Deleted(document string) string {
	var o map[string]any
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(document, "---\n", "")), &o); err != nil {
		panic(err)
	}
	meta, _ := o["metadata"].(map[string]any)
	meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	meta["finalizers"] = []any{"example.com/hold"}
	out, err := yaml.Marshal(o)
	if err != nil {
		panic(err)
	}
	return "\n---\n" + string(out)
}

// Vanishing reads the API server, and deletes the object right after the first list that has it: what a Check reads
// twice is there once.
func (a *API) Vanishing(t testing.TB, kind kube.Kind, namespace, name string) kube.Reader {
	t.Helper()
	return &vanishing{a.Client, kind, func() { a.server(t, kind.GroupVersionKind).Delete(namespace, name) }}
}

type vanishing struct {
	kube.Reader
	kind   kube.Kind
	remove func()
}

// List implements client.Reader.
func (r *vanishing) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	err := r.Reader.List(ctx, list, opts...)
	if list.GetObjectKind().GroupVersionKind().Kind == r.kind.Kind+"List" && r.remove != nil {
		r.remove()
		r.remove = nil
	}
	return err
}
