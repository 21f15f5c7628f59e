package kube

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/step"
)

// Apply writes the object, without its status, by server-side apply as FieldOwner and returns what changed. It never
// overwrites a field of another manager: that is a conflict.
//
// Objects that Apply creates get ManagedByLabel. Existing objects do not.
func (c *Client) Apply(ctx context.Context, obj client.Object) (step.Change, error) {
	object.Remember(obj)
	u, err := c.withoutStatus(obj)
	if err != nil {
		return "", err
	}
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(u.GroupVersionKind())
	err = c.Client.Get(ctx, client.ObjectKeyFromObject(u), current)
	switch {
	case apierrors.IsNotFound(err):
		labelManaged(u)
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", u.GetKind(), Name(u), err)
	case current.GetLabels()[ManagedByLabel] == FieldOwner:
		labelManaged(u)
	}
	before := current.GetResourceVersion()
	if err := c.Client.Apply(ctx, u, client.FieldOwner(FieldOwner)); err != nil {
		return "", fmt.Errorf("%s %s: %w", u.GetKind(), Name(u), err)
	}
	switch u.GetResourceVersion() {
	case before:
		return step.Unchanged, nil
	default:
		if before == "" {
			return step.Created, nil
		}
		return step.Configured, nil
	}
}

// ApplySettings writes fields of an existing object by server-side apply as owner.Settings. It removes fields that only
// this manager owns and that the object no longer has. A field of another manager is a conflict.
func (c *Client) ApplySettings(ctx context.Context, u *unstructured.Unstructured) (step.Change, error) {
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(u.GroupVersionKind())
	if err := c.Client.Get(ctx, client.ObjectKeyFromObject(u), current); err != nil {
		return "", fmt.Errorf("%s %s: %w", u.GetKind(), Name(u), err)
	}
	if err := c.Client.Apply(ctx, u, client.FieldOwner(owner.Settings),
		client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return "", fmt.Errorf("%s %s: %w", u.GetKind(), Name(u), err)
	}
	if u.GetResourceVersion() == current.GetResourceVersion() {
		return step.Unchanged, nil
	}
	return step.Configured, nil
}

// CreateOnce creates the object if it does not exist and never changes an existing one. It is for keys and identities,
// and returns Created or Unchanged.
func (c *Client) CreateOnce(ctx context.Context, obj client.Object, opts ...client.WriteOption) (step.Change, error) {
	err := c.CreateNew(ctx, obj, opts...)
	if apierrors.IsAlreadyExists(err) {
		return step.Unchanged, nil
	}
	if err != nil {
		return "", err
	}
	return step.Created, nil
}

// CreateNew creates the object with ManagedByLabel. It fails if the name is taken (apierrors.IsAlreadyExists).
func (c *Client) CreateNew(ctx context.Context, obj client.Object, opts ...client.WriteOption) error {
	labelManaged(obj)
	object.Remember(obj)
	if err := c.Create(ctx, obj, append(opts, client.FieldOwner(FieldOwner))...); err != nil {
		gvk, _ := c.GroupVersionKindFor(obj)
		return fmt.Errorf("%s %s: %w", gvk.Kind, Name(obj), err)
	}
	return nil
}

// DeleteByUID deletes the object only if it still has the UID that was read, and its dependents in the background. It
// returns Deleted, or Unchanged if the object is gone. It fails if another object has the name now
// (apierrors.IsConflict).
func (c *Client) DeleteByUID(ctx context.Context, obj client.Object) (step.Change, error) {
	uid := obj.GetUID()
	return c.deleteIf(ctx, obj, client.Preconditions{UID: &uid})
}

// DeleteUnchanged is DeleteByUID, but also fails if the object has changed since it was read (apierrors.IsConflict).
// Use it where the decision to delete depends on the object's content.
func (c *Client) DeleteUnchanged(ctx context.Context, obj client.Object) (step.Change, error) {
	uid, version := obj.GetUID(), obj.GetResourceVersion()
	return c.deleteIf(ctx, obj, client.Preconditions{UID: &uid, ResourceVersion: &version})
}

func (c *Client) deleteIf(ctx context.Context, obj client.Object, same client.Preconditions) (step.Change, error) {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return "", err
	}
	err = c.Delete(ctx, obj, same, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case apierrors.IsNotFound(err):
		return step.Unchanged, nil
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", gvk.Kind, Name(obj), err)
	}
	return step.Deleted, nil
}

// withoutStatus returns the object without status and without fields that only a server sets.
func (c *Client) withoutStatus(obj client.Object) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		u = u.DeepCopy()
		unstructured.RemoveNestedField(u.Object, "status")
		return u, nil
	}
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return nil, err
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", gvk.Kind, Name(obj), err)
	}
	u := &unstructured.Unstructured{Object: m}
	u.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u, nil
}

func labelManaged(obj client.Object) {
	labels := obj.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[ManagedByLabel] = FieldOwner
	obj.SetLabels(labels)
}
