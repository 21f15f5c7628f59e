package datafoundation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

var storageSystemKind = schema.GroupVersionKind{Group: "odf.openshift.io", Version: "v1alpha1", Kind: "StorageSystem"}

// provisioner simulates the external provisioners of the Ceph CSI drivers.
func (f *dataFoundation) provisioner() error {
	return framework.CSI{Run: f.Run, Name: "csi", Provides: provides,
		Source: func(class *storagev1.StorageClass, claim *corev1.PersistentVolumeClaim, spec *corev1.PersistentVolumeSpec) {
			spec.CSI = &corev1.CSIPersistentVolumeSource{
				Driver: class.Provisioner, VolumeHandle: fmt.Sprintf("0001-0011-%s-%s", storageNamespace, claim.UID),
				VolumeAttributes: map[string]string{"clusterID": storageNamespace},
			}
		}}.Start()
}

// storageSystems simulates odf-operator's controller for StorageSystem, which exists up to ODF 4.18.
func (f *dataFoundation) storageSystems() error {
	if framework.AtLeast(f.Profile.Minor(), "4.19") {
		return nil
	}
	return f.WhenServed("storagesystem-crd", func() error {
		return f.NewController("storagesystem", framework.Unstructured(storageSystemKind)).
			Watches(framework.Unstructured(storageClusterKind), f.ToEach(framework.UnstructuredList(storageSystemKind))).
			Complete(f.ForExisting(storageSystemKind, f.system))
	}, storageSystemKind)
}

// ensureSystem creates <cluster>-storagesystem where no StorageSystem names the StorageCluster, as odf-operator does up
// to 4.18.
func (f *dataFoundation) ensureSystem(ctx context.Context, sc *unstructured.Unstructured) error {
	served, err := f.Served(ctx, "storagesystems.odf.openshift.io")
	if err != nil || !served || framework.AtLeast(f.Profile.Minor(), "4.19") {
		return err
	}
	list := framework.UnstructuredList(storageSystemKind)()
	if err := f.Client.List(ctx, list, framework.InNamespace(sc.GetNamespace())); err != nil {
		return err
	}
	for _, o := range framework.Items(list) {
		if u, ok := o.(*unstructured.Unstructured); ok && framework.Text(u, "spec", "name") == sc.GetName() {
			return nil
		}
	}
	system := framework.Unstructured(storageSystemKind)
	system.SetNamespace(sc.GetNamespace())
	system.SetName(sc.GetName() + "-storagesystem")
	system.Object["spec"] = map[string]any{"kind": "storagecluster.ocs.openshift.io/v1", "name": sc.GetName(),
		"namespace": sc.GetNamespace()}
	return framework.Create(ctx, f.Client, system)
}

func (f *dataFoundation) system(ctx context.Context, system *unstructured.Unstructured) (ctrl.Result, error) {
	vendor := framework.Unstructured(storageClusterKind)
	vendor.SetNamespace(framework.Text(system, "spec", "namespace"))
	vendor.SetName(framework.Text(system, "spec", "name"))
	present, err := framework.Exists(ctx, f.Client, vendor)
	if err != nil {
		return ctrl.Result{}, err
	}
	conds := []framework.Condition{
		{Type: "StorageSystemInvalid", Status: "False", Reason: "Valid", Message: "StorageSystem CR is valid"},
		{Type: "VendorCsvReady", Status: "True", Reason: "Ready", Message: ""},
		{Type: "VendorSystemPresent", Status: "True", Reason: "Found", Message: ""},
		{Type: "Available", Status: "True", Reason: "ReconcileCompleted", Message: "Reconcile is completed successfully"},
		{Type: "Progressing", Status: "False", Reason: "ReconcileCompleted", Message: "Reconcile is completed successfully"},
	}
	// The messages are made up.
	if !present {
		conds[2] = framework.Condition{Type: "VendorSystemPresent", Status: "False", Reason: "NotFound",
			Message: "storageclusters.ocs.openshift.io not found"}
		conds[3] = framework.Condition{Type: "Available", Status: "False", Reason: "Reconciling",
			Message: "Reconcile is in progress"}
		conds[4] = framework.Condition{Type: "Progressing", Status: "True", Reason: "Reconciling",
			Message: "Reconcile is in progress"}
	}
	return ctrl.Result{}, framework.WriteStatus(ctx, f.Client, system, func(o *unstructured.Unstructured) {
		framework.SetConditions(o, framework.Heartbeats, conds...)
	})
}
