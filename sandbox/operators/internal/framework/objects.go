package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Unstructured returns an empty object of a kind without Go types.
func Unstructured(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	return u
}

// UnstructuredList returns a function that makes an empty list of such a kind.
func UnstructuredList(gvk schema.GroupVersionKind) func() client.ObjectList {
	return func() client.ObjectList {
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		return u
	}
}

// Items returns the objects of a list of any type.
func Items(list client.ObjectList) []client.Object {
	var out []client.Object
	// EachListItem only fails for values that are no lists.
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		if c, ok := o.(client.Object); ok {
			out = append(out, c)
		}
		return nil
	})
	return out
}

// Read decodes the field of obj at path into dest and reports whether it exists.
func Read(obj *unstructured.Unstructured, dest any, path ...string) (bool, error) {
	v, ok, err := unstructured.NestedFieldNoCopy(obj.Object, path...)
	if err != nil || !ok || v == nil {
		return false, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return false, fmt.Errorf("%s %s: %v: %w", obj.GetKind(), obj.GetName(), path, err)
	}
	if err := json.Unmarshal(raw, dest); err != nil {
		return false, fmt.Errorf("%s %s: %v: %w", obj.GetKind(), obj.GetName(), path, err)
	}
	return true, nil
}

// Text returns the string at path, or "".
func Text(obj *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(obj.Object, path...)
	return s
}

// Set writes v at path. Values must be JSON values (int64, not int).
func Set(obj *unstructured.Unstructured, v any, path ...string) {
	// SetNestedField fails only if a parent is no object, so the object already violates its schema.
	if err := unstructured.SetNestedField(obj.Object, v, path...); err != nil {
		obj.Object[path[0]] = map[string]any{}
		_ = unstructured.SetNestedField(obj.Object, v, path...)
	}
}

// JSONValue converts a typed value to one that an unstructured object can hold.
func JSONValue(v any) (any, error) {
	if reflect.TypeOf(v).Kind() == reflect.Pointer {
		return runtime.DefaultUnstructuredConverter.ToUnstructured(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	holder := map[string]any{}
	if err := json.Unmarshal([]byte(`{"v":`+string(raw)+`}`), &holder); err != nil {
		return nil, err
	}
	return runtime.DeepCopyJSONValue(wholeNumbers(holder["v"])), nil
}

// wholeNumbers converts the float64 values of encoding/json to int64 if possible, as apimachinery does.
func wholeNumbers(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k := range t {
			t[k] = wholeNumbers(t[k])
		}
	case []any:
		for i := range t {
			t[i] = wholeNumbers(t[i])
		}
	case float64:
		if t == float64(int64(t)) {
			return int64(t)
		}
	}
	return v
}

// Ensure creates obj, or updates the existing object with mutate.
func Ensure[T client.Object](ctx context.Context, c client.Client, obj T, mutate func(T)) error {
	_, err := controllerutil.CreateOrPatch(ctx, c, obj, func() error {
		mutate(obj)
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing %T %s: %w", obj, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

// Create creates obj, and leaves an existing object unchanged.
func Create(ctx context.Context, c client.Client, obj client.Object) error {
	if err := c.Create(ctx, obj); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating %T %s: %w", obj, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

// Remove deletes obj. A missing object or kind is no error.
func Remove(ctx context.Context, c client.Client, obj client.Object, opts ...client.DeleteOption) error {
	if err := c.Delete(ctx, obj, opts...); err != nil && !IsGone(err) {
		return fmt.Errorf("deleting %T %s: %w", obj, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

// IsGone reports whether an error means that the object or its kind does not exist.
func IsGone(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

// Exists reads obj and reports whether it exists.
func Exists(ctx context.Context, c client.Client, obj client.Object) (bool, error) {
	err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
	if IsGone(err) {
		return false, nil
	}
	return err == nil, err
}

// strictly makes the API server refuse unknown fields.
const strictly = client.FieldValidation(metav1.FieldValidationStrict)

// WriteStatus writes the status of obj if mutate changes it. A field that the kind does not have in this release is an
// error: the real operator of the release cannot know it.
func WriteStatus[T client.Object](ctx context.Context, c client.Client, obj T, mutate func(T)) error {
	return write(obj, mutate, "writing status of", func(before client.Object) error {
		return c.Status().Patch(ctx, obj, client.MergeFrom(before), strictly)
	})
}

// Change patches metadata and spec of obj if mutate changes them.
func Change[T client.Object](ctx context.Context, c client.Client, obj T, mutate func(T)) error {
	return write(obj, mutate, "changing", func(before client.Object) error {
		return c.Patch(ctx, obj, client.MergeFrom(before))
	})
}

// WriteSharedStatus is WriteStatus for an object whose lists others write too: it fails with a conflict unless obj is
// the newest state.
func WriteSharedStatus[T client.Object](ctx context.Context, c client.Client, obj T, mutate func(T)) error {
	return write(obj, mutate, "writing status of", func(before client.Object) error {
		return c.Status().Patch(ctx, obj, newest(before), strictly)
	})
}

// ChangeShared is Change for an object whose lists others write too: it fails with a conflict unless obj is the newest
// state.
func ChangeShared[T client.Object](ctx context.Context, c client.Client, obj T, mutate func(T)) error {
	return write(obj, mutate, "changing", func(before client.Object) error {
		return c.Patch(ctx, obj, newest(before))
	})
}

// write changes obj and calls patch with what it was before, unless nothing has changed.
func write[T client.Object](obj T, mutate func(T), doing string, patch func(before client.Object) error) error {
	before, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T does not copy to an object", obj)
	}
	mutate(obj)
	if equality.Semantic.DeepEqual(before, obj) {
		return nil
	}
	if err := patch(before); err != nil {
		return fmt.Errorf("%s %T %s: %w", doing, obj, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

func newest(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}

// AddFinalizer adds the operator's finalizer.
func AddFinalizer[T client.Object](ctx context.Context, c client.Client, obj T, finalizer string) error {
	return Change(ctx, c, obj, func(o T) { controllerutil.AddFinalizer(o, finalizer) })
}

// RemoveFinalizer removes the operator's finalizer.
func RemoveFinalizer[T client.Object](ctx context.Context, c client.Client, obj T, finalizer string) error {
	err := Change(ctx, c, obj, func(o T) { controllerutil.RemoveFinalizer(o, finalizer) })
	if IsGone(err) {
		return nil
	}
	return err
}

// InNamespace limits a list to one namespace.
func InNamespace(namespace string) client.ListOption { return client.InNamespace(namespace) }

// AsUnstructured returns the object as an unstructured one, if it is one.
func AsUnstructured(o client.Object) (*unstructured.Unstructured, bool) {
	u, ok := o.(*unstructured.Unstructured)
	return u, ok
}
