package operators

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
)

var storageSystemKind = schema.GroupVersionKind{Group: "odf.openshift.io", Version: "v1alpha1", Kind: "StorageSystem"}

// provisioner plays the external provisioners of the Ceph CSI drivers.
func (f *dataFoundation) provisioner() error {
	return csi{life: f.life, name: "csi", provides: provides, source: func(class *storagev1.StorageClass, claim *corev1.PersistentVolumeClaim, spec *corev1.PersistentVolumeSpec) {
		spec.CSI = &corev1.CSIPersistentVolumeSource{
			Driver: class.Provisioner, VolumeHandle: fmt.Sprintf("0001-0011-%s-%s", storageNamespace, claim.UID),
			VolumeAttributes: map[string]string{"clusterID": storageNamespace},
		}
	}}.start()
}

// storageSystems plays the part of odf-operator that looks after StorageSystem, which there is up to ODF 4.18.
func (f *dataFoundation) storageSystems() error {
	if atLeast(f.Profile.Minor(), "4.19") {
		return nil
	}
	return f.whenServed("storagesystem-crd", func() error {
		return f.controls("storagesystem", untyped(storageSystemKind)).
			Watches(untyped(storageClusterKind), f.toEach(untypedList(storageSystemKind))).
			Complete(f.present(storageSystemKind, f.system))
	}, storageSystemKind)
}

func (f *dataFoundation) system(ctx context.Context, system *unstructured.Unstructured) (ctrl.Result, error) {
	vendor := untyped(storageClusterKind)
	vendor.SetNamespace(text(system, "spec", "namespace"))
	vendor.SetName(text(system, "spec", "name"))
	present, err := exists(ctx, f.Client, vendor)
	if err != nil {
		return ctrl.Result{}, err
	}
	conds := []condition{
		{"StorageSystemInvalid", "False", "Valid", "StorageSystem CR is valid"},
		{"VendorCsvReady", "True", "Ready", ""},
		{"VendorSystemPresent", "True", "Found", ""},
		{"Available", "True", "Ready", "Reconcile is completed successfully"},
		{"Progressing", "False", "Ready", "Reconcile is completed successfully"},
	}
	// Guess: the reference names the conditions, not their reasons.
	if !present {
		conds[2] = condition{"VendorSystemPresent", "False", "NotFound", "storageclusters.ocs.openshift.io not found"}
		conds[3] = condition{"Available", "False", "Reconciling", "Reconcile is in progress"}
		conds[4] = condition{"Progressing", "True", "Reconciling", "Reconcile is in progress"}
	}
	return ctrl.Result{}, writeStatus(ctx, f.Client, system, func(o *unstructured.Unstructured) {
		setConditions(o, heartbeats, conds...)
	})
}
