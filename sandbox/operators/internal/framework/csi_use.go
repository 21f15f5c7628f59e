package framework

import (
	"context"
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

// snapshotTime is the time to take a snapshot.
const snapshotTime = 300 * time.Millisecond

var snapshotKind = schema.GroupVersionKind{Group: "snapshot.storage.k8s.io", Version: "v1", Kind: "VolumeSnapshot"}

// expand enlarges the volume of a bound claim that asks for more, if its class allows that. The API server refuses such
// a claim otherwise. Volumes that pods use have their file system enlarged by the kubelet, at once here.
func (d CSI) expand(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := Exists(ctx, d.Client, claim)
	if err != nil || !found || claim.Status.Phase != corev1.ClaimBound ||
		!d.Provides(claim.Annotations[provisionerAnnotation]) {
		return reconcile.Result{}, err
	}
	asked, has := claim.Spec.Resources.Requests[corev1.ResourceStorage], claim.Status.Capacity[corev1.ResourceStorage]
	if asked.Cmp(has) <= 0 {
		return reconcile.Result{}, nil
	}
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}
	if found, err := Exists(ctx, d.Client, pv); err != nil || !found {
		return reconcile.Result{}, err
	}
	if err := Change(ctx, d.Client, pv, func(pv *corev1.PersistentVolume) {
		pv.Spec.Capacity[corev1.ResourceStorage] = asked
	}); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, WriteStatus(ctx, d.Client, claim, func(claim *corev1.PersistentVolumeClaim) {
		claim.Status.Capacity[corev1.ResourceStorage] = asked
	})
}

// snapshot calls a snapshot of a bound claim ready. There is no VolumeSnapshotContent.
func (d CSI) snapshot(ctx context.Context, snapshot *unstructured.Unstructured) (ctrl.Result, error) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: snapshot.GetNamespace(),
		Name: Text(snapshot, "spec", "source", "persistentVolumeClaimName")}}
	found, err := Exists(ctx, d.Client, claim)
	if err != nil || !found || snapshot.GetDeletionTimestamp() != nil || claim.Status.Phase != corev1.ClaimBound {
		return ctrl.Result{}, err
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: ptr.Deref(claim.Spec.StorageClassName, "")}}
	if found, err := Exists(ctx, d.Client, class); err != nil || !found || !d.Provides(class.Provisioner) {
		return ctrl.Result{}, err
	}
	if wait := d.Remaining(snapshotTime, "snapshot"+string(snapshot.GetUID())); wait > 0 {
		return RequeueAfter(wait), nil
	}
	return ctrl.Result{}, WriteStatus(ctx, d.Client, snapshot, func(o *unstructured.Unstructured) {
		Set(o, true, "status", "readyToUse")
		Set(o, claim.Status.Capacity.Storage().String(), "status", "restoreSize")
	})
}
