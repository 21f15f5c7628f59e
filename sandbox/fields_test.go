package main_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// checkFields writes a StorageCluster with a field that Data Foundation 4.20 no longer has: a strict write is refused,
// any other loses it.
func checkFields(t *testing.T, c client.Client) {
	t.Helper()
	made := func() *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"managedResources": map[string]any{
			"cephBlockPools": map[string]any{"disableStorageClass": true, "defaultStorageClass": true}}}}}
		o.SetAPIVersion("ocs.openshift.io/v1")
		o.SetKind("StorageCluster")
		o.SetNamespace("default")
		o.SetName("fields")
		return o
	}
	const field = `unknown field "spec.managedResources.cephBlockPools.disableStorageClass"`
	err := c.Create(t.Context(), made(), client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), field) {
		t.Errorf("a strict write of a field that the release lacks: %v", err)
	}
	kept := made()
	if err := c.Create(t.Context(), kept, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	pools, _, _ := unstructured.NestedMap(kept.Object, "spec", "managedResources", "cephBlockPools")
	if len(pools) != 1 || pools["defaultStorageClass"] != true {
		t.Errorf("of the fields these are kept: %v", pools)
	}
}
