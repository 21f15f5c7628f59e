package kube_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// readOnce: what was read stays as it was for that cache, typed and untyped alike, and for no other reader.
func readOnce(t *testing.T, c *kube.Client) {
	once := c.Reader(informer.NewCache(t.Context()))
	name := client.ObjectKey{Namespace: "default", Name: "read-once"}
	absent := client.ObjectKey{Namespace: "default", Name: "read-once-absent"}
	if err := c.Create(t.Context(), configMap(name.Name, "before")); err != nil {
		t.Fatal(err)
	}
	if err := once.Get(t.Context(), absent, &corev1.ConfigMap{}); !apierrors.IsNotFound(err) ||
		kube.IsKindMissing(err) {
		t.Errorf("absent object: %v", err)
	}
	read := func() string {
		t.Helper()
		one, list := &corev1.ConfigMap{}, &corev1.ConfigMapList{}
		if err := once.Get(t.Context(), name, one); err != nil {
			t.Fatal(err)
		}
		if err := once.List(t.Context(), list, client.InNamespace("default"),
			client.MatchingFields{"metadata.name": name.Name}); err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != 1 || list.Items[0].Data["key"] != one.Data["key"] {
			t.Fatalf("the list says %v, the object %v", list.Items, one.Data)
		}
		return one.Data["key"]
	}
	if got := read(); got != "before" {
		t.Errorf("read %q, want before", got)
	}
	if err := c.Patch(t.Context(), configMap(name.Name, ""),
		client.RawPatch(types.MergePatchType, []byte(`{"data":{"key":"after"}}`))); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != "before" {
		t.Errorf("read again %q, want what was read first", got)
	}
	fresh := &corev1.ConfigMap{}
	if err := c.Get(t.Context(), name, fresh); err != nil || fresh.Data["key"] != "after" {
		t.Errorf("another reader: %v, %v", fresh.Data, err)
	}
	once.Prefetch(t.Context(), kube.CustomResourceDefinition, kube.MultiClusterHub)
	crds := kube.CustomResourceDefinition.NewList()
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := once.List(gone, crds); err != nil || len(crds.Items) == 0 {
		t.Errorf("a list asked for ahead was asked for again: %d, %v", len(crds.Items), err)
	}
	if err := once.List(t.Context(), kube.MultiClusterHub.NewList()); !kube.IsKindMissing(err) {
		t.Errorf("a kind that is not registered: %v", err)
	}
}
