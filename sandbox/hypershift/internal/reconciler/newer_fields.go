package reconciler

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// NewerField reads a field that the API module's types lack, of the object as the API server has it now. It leaves into
// alone if the object or the field does not exist.
func (b *Base) NewerField(ctx context.Context, o client.Object, into any, path ...string) error {
	gvk, err := apiutil.GVKForObject(o, b.Scheme)
	if err != nil {
		return fmt.Errorf("read %v of %s: %w", path, o.GetName(), err)
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	if err := b.Live.Get(ctx, client.ObjectKeyFromObject(o), u); err != nil {
		return client.IgnoreNotFound(err)
	}
	value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil || !found {
		return err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("read %v of %s: %w", path, o.GetName(), err)
	}
	return json.Unmarshal(raw, into)
}

// UpdateStatus writes an object's whole status, with a field that its type lacks; value is a pointer to a struct. The
// API server's answer is in o afterwards.
func (b *Base) UpdateStatus(ctx context.Context, o client.Object, field string, value any) error {
	gvk, err := apiutil.GVKForObject(o, b.Scheme)
	if err != nil {
		return fmt.Errorf("write status.%s: %w", field, err)
	}
	u := &unstructured.Unstructured{}
	if u.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(o); err != nil {
		return fmt.Errorf("write status.%s: %w", field, err)
	}
	u.SetGroupVersionKind(gvk)
	newer, err := runtime.DefaultUnstructuredConverter.ToUnstructured(value)
	if err != nil {
		return fmt.Errorf("write status.%s: %w", field, err)
	}
	if err := unstructured.SetNestedField(u.Object, newer, "status", field); err != nil {
		return fmt.Errorf("write status.%s: %w", field, err)
	}
	if err := b.Client.Status().Update(ctx, u); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o)
}
