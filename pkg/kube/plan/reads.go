package plan

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// Get implements client.Client.
func (p *planner) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	gvk, err := p.GroupVersionKindFor(obj)
	if err != nil {
		return err
	}
	state, isPlanned := p.plan.lookup(keyOf(gvk, key))
	switch {
	case !isPlanned:
		return p.Client.Get(ctx, key, obj)
	case state == nil:
		return apierrors.NewNotFound(p.resource(gvk), key.Name)
	}
	return object.Into(state, obj)
}

// List implements client.Client.
func (p *planner) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := p.GroupVersionKindFor(list)
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	overlay := p.plan.plannedOf(gvk.GroupKind())
	if len(overlay) == 0 {
		return p.Client.List(ctx, list, opts...)
	}
	live := &unstructured.UnstructuredList{}
	live.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := p.Client.List(ctx, live, opts...); err != nil && !transport.IsKindMissing(err) {
		return err
	}
	o := client.ListOptionsOf(opts)
	var items []*unstructured.Unstructured
	for i := range live.Items {
		if _, isPlanned := overlay[client.ObjectKeyFromObject(&live.Items[i])]; !isPlanned {
			items = append(items, &live.Items[i])
		}
	}
	for _, state := range overlay {
		if state != nil && selected(state, o) {
			items = append(items, state)
		}
	}
	slices.SortFunc(items, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(object.Name(a), object.Name(b))
	})
	return object.IntoList(items, list)
}

// plannedOf returns the planned objects of a kind.
func (p *Plan) plannedOf(kind schema.GroupKind) map[client.ObjectKey]*unstructured.Unstructured {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[client.ObjectKey]*unstructured.Unstructured{}
	for key, state := range p.states {
		if key.kind == kind {
			out[key.ObjectKey] = state
		}
	}
	return out
}

// selected reports whether a list with these options contains the object. It supports only the field selectors
// metadata.name and metadata.namespace.
func selected(u *unstructured.Unstructured, o client.ListOptions) bool {
	if o.Namespace != "" && u.GetNamespace() != o.Namespace {
		return false
	}
	if o.LabelSelector != nil && !o.LabelSelector.Matches(labels.Set(u.GetLabels())) {
		return false
	}
	meta := fields.Set{"metadata.name": u.GetName(), "metadata.namespace": u.GetNamespace()}
	return o.FieldSelector == nil || o.FieldSelector.Matches(meta)
}
