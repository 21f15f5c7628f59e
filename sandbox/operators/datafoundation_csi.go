package operators

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	provisionerAnnotation = "volume.kubernetes.io/storage-provisioner"
	provisionedAnnotation = "pv.kubernetes.io/provisioned-by"
	// volumeTime is what creating one Ceph image takes.
	volumeTime = 300 * time.Millisecond
)

var storageSystemKind = schema.GroupVersionKind{Group: "odf.openshift.io", Version: "v1alpha1", Kind: "StorageSystem"}

// provisioner plays the external provisioners of the Ceph CSI drivers: a volume for each claim of their classes, which
// the cluster's own binder then binds, and its end when it is released.
func (f *dataFoundation) provisioner() error {
	claims := f.controls("csi-provisioner", &corev1.PersistentVolumeClaim{})
	if err := claims.Complete(reconcile.Func(f.provide)); err != nil {
		return err
	}
	volumes := f.controls("csi-deleter", &corev1.PersistentVolume{})
	return volumes.Complete(reconcile.Func(f.reclaim))
}

// provide makes the volume of a claim. The persistent volume controller names the provisioner in an annotation once it
// wants one.
func (f *dataFoundation) provide(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := exists(ctx, f.Client, claim)
	if err != nil || !found || claim.DeletionTimestamp != nil || claim.Spec.VolumeName != "" ||
		!provides(claim.Annotations[provisionerAnnotation]) {
		return reconcile.Result{}, err
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: ptr.Deref(claim.Spec.StorageClassName, "")}}
	if found, err := exists(ctx, f.Client, class); err != nil || !found {
		return reconcile.Result{}, err
	}
	if wait := f.left(volumeTime, "volume"+string(claim.UID)); wait > 0 {
		return again(wait), nil
	}
	volume := "pvc-" + string(claim.UID)
	return reconcile.Result{}, create(ctx, f.Client, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: volume, Annotations: map[string]string{provisionedAnnotation: class.Provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      claim.Spec.Resources.Requests,
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			StorageClassName:              class.Name,
			PersistentVolumeReclaimPolicy: ptr.Deref(class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete),
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name,
				UID: claim.UID, ResourceVersion: claim.ResourceVersion,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: class.Provisioner, VolumeHandle: fmt.Sprintf("0001-0011-%s-%s", storageNamespace, claim.UID),
				VolumeAttributes: map[string]string{"clusterID": storageNamespace},
			}},
		},
	})
}

// reclaim deletes a released volume of ours whose policy is Delete.
func (f *dataFoundation) reclaim(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	found, err := exists(ctx, f.Client, pv)
	if err != nil || !found || pv.DeletionTimestamp != nil || !provides(pv.Annotations[provisionedAnnotation]) ||
		pv.Status.Phase != corev1.VolumeReleased || pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, remove(ctx, f.Client, pv)
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
