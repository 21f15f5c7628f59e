package kubetest

import (
	"context"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Vanishing returns a Reader that deletes the object right after the first list of its kind. So a Check that reads
// twice finds it only once.
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
