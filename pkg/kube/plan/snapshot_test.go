package plan

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
)

// countingClient answers with one ConfigMap and counts.
type countingClient struct {
	client.Client
	gets, lists int
	err, write  error
}

func (*countingClient) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	if _, list := obj.(client.ObjectList); list {
		return corev1.SchemeGroupVersion.WithKind("ConfigMapList"), nil
	}
	return corev1.SchemeGroupVersion.WithKind("ConfigMap"), nil
}

func (c *countingClient) Get(_ context.Context, key client.ObjectKey, obj client.Object) error {
	c.gets++
	if c.err != nil {
		return c.err
	}
	return object.Into(oneConfigMap(key), obj)
}

func (c *countingClient) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	c.lists++
	namespace := client.ListOptionsOf(opts).Namespace
	return object.IntoList([]*unstructured.Unstructured{oneConfigMap(client.ObjectKey{Namespace: namespace, Name: "a"})},
		list)
}

func (c *countingClient) Create(context.Context, client.Object, ...client.WriteOption) error {
	return c.write
}

func oneConfigMap(key client.ObjectKey) *unstructured.Unstructured {
	return identity(corev1.SchemeGroupVersion.WithKind("ConfigMap"), key)
}

func TestSnapshotReadsOnce(t *testing.T) {
	c := &countingClient{}
	s := &snapshot{Client: c}
	key := client.ObjectKey{Namespace: "n", Name: "a"}
	read := func(wantGets, wantLists int) {
		t.Helper()
		var one corev1.ConfigMap
		var all corev1.ConfigMapList
		if err := errors.Join(s.Get(t.Context(), key, &one), s.List(t.Context(), &all, client.InNamespace("n"))); err != nil {
			t.Fatal(err)
		}
		if one.Name != "a" || len(all.Items) != 1 || all.Items[0].Namespace != "n" {
			t.Errorf("read %v and %v", one, all)
		}
		if c.gets != wantGets || c.lists != wantLists {
			t.Errorf("%d gets and %d lists, want %d and %d", c.gets, c.lists, wantGets, wantLists)
		}
	}
	read(1, 1)
	read(1, 1)
	if err := s.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace("other")); err != nil || c.lists != 2 {
		t.Errorf("another namespace: %v, %d lists", err, c.lists)
	}
	if err := s.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace("n"), client.Limit(1)); err != nil ||
		c.lists != 3 {
		t.Errorf("a page: %v, %d lists", err, c.lists)
	}
	c.write = apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "a", errors.New("changed"))
	if err := s.Create(t.Context(), &corev1.ConfigMap{}); !apierrors.IsConflict(err) {
		t.Errorf("a write: %v", err)
	}
	read(2, 4)
}

func TestSnapshotKeepsThatSomethingIsAbsentAndNoOtherError(t *testing.T) {
	c := &countingClient{err: apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a")}
	s := &snapshot{Client: c}
	get := func() error { return s.Get(t.Context(), client.ObjectKey{Name: "a"}, &corev1.ConfigMap{}) }
	for range 2 {
		if err := get(); !apierrors.IsNotFound(err) || c.gets != 1 {
			t.Errorf("%v, %d gets", err, c.gets)
		}
	}
	c.err, s.reads = apierrors.NewServiceUnavailable("later"), nil
	if err := get(); !apierrors.IsServiceUnavailable(err) {
		t.Error(err)
	}
	c.err = nil
	if err := get(); err != nil || c.gets != 3 {
		t.Errorf("%v, %d gets", err, c.gets)
	}
	metadata := &metav1.PartialObjectMetadata{}
	for range 2 {
		if err := s.Get(t.Context(), client.ObjectKey{Name: "a"}, metadata); err != nil {
			t.Error(err)
		}
	}
	if c.gets != 5 {
		t.Errorf("metadata was kept: %d gets", c.gets)
	}
}
