package kubetest

import (
	"context"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

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
