package reconciler

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
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

// UpdateStatus writes an object's whole status, with the fields that its type lacks. The API server's answer is in o
// afterwards. This is an update, not a patch: a merge patch would drop the null of completionTime before the end.
func (b *Base) UpdateStatus(ctx context.Context, o client.Object, fields *status.Newer) error {
	if fields == nil {
		return b.Client.Status().Update(ctx, o)
	}
	gvk, err := apiutil.GVKForObject(o, b.Scheme)
	if err != nil {
		return fmt.Errorf("write the status of %s: %w", o.GetName(), err)
	}
	u := &unstructured.Unstructured{}
	if u.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(o); err != nil {
		return fmt.Errorf("write the status of %s: %w", o.GetName(), err)
	}
	u.SetGroupVersionKind(gvk)
	newer, err := runtime.DefaultUnstructuredConverter.ToUnstructured(fields)
	if err != nil {
		return fmt.Errorf("write the status of %s: %w", o.GetName(), err)
	}
	for field, value := range newer {
		if err := unstructured.SetNestedField(u.Object, value, "status", field); err != nil {
			return fmt.Errorf("write status.%s of %s: %w", field, o.GetName(), err)
		}
	}
	if err := b.Client.Status().Update(ctx, u); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o)
}
