// Package client reads and writes typed and unstructured objects of a cluster. Its API follows controller-runtime's
// client, whose package links every API group of Kubernetes: a sixth of hcctl.
package client

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Object is an object of the API: a Go type of the scheme, unstructured, or metadata only.
type Object interface {
	metav1.Object
	runtime.Object
}

// ObjectList is a list of objects.
type ObjectList interface {
	metav1.ListInterface
	runtime.Object
}

// ObjectKey is a namespace and name.
type ObjectKey = types.NamespacedName

// ObjectKeyFromObject returns the key of the object.
func ObjectKeyFromObject(obj Object) ObjectKey {
	return ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// IgnoreNotFound returns nil for a "not found" error, and any other error unchanged.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Reader reads objects.
type Reader interface {
	// Get reads one object into obj.
	Get(ctx context.Context, key ObjectKey, obj Object) error
	// List reads all objects that match.
	List(ctx context.Context, list ObjectList, opts ...ListOption) error
}

// Client reads and writes objects. A write updates the object from the API server's answer.
type Client interface {
	Reader
	Create(ctx context.Context, obj Object, opts ...WriteOption) error
	// CreateSubresource creates a subresource of an object, such as a TokenRequest.
	CreateSubresource(ctx context.Context, of Object, subresource string, request Object, opts ...WriteOption) error
	// Apply is server-side apply.
	Apply(ctx context.Context, obj *unstructured.Unstructured, opts ...WriteOption) error
	Patch(ctx context.Context, obj Object, patch Patch, opts ...WriteOption) error
	Delete(ctx context.Context, obj Object, opts ...DeleteOption) error

	// GroupVersionKindFor returns the kind of an object or of a list.
	GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error)
	// RESTMapper maps kinds to resources.
	RESTMapper() meta.RESTMapper
}
