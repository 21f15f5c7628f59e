package framework

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
)

const (
	provisionerAnnotation = "volume.kubernetes.io/storage-provisioner"
	provisionedAnnotation = "pv.kubernetes.io/provisioned-by"
	// volumeTime is the time to create one volume.
	volumeTime = 300 * time.Millisecond
	// volumeRetry is the time between two attempts to make a volume.
	volumeRetry = 10 * time.Second
)

// CSI simulates the external provisioners, resizers and snapshotters of CSI drivers. It creates a volume for each claim
// of their classes, which the cluster's own controller binds, enlarges bound volumes whose claims ask for more, calls
// snapshots of them ready, and deletes released volumes. No data is anywhere.
type CSI struct {
	*Run
	// Name is the prefix of its controllers' names.
	Name string
	// Provides reports whether a provisioner is one of these drivers.
	Provides func(provisioner string) bool
	// Source sets the location of the volume.
	Source func(*storagev1.StorageClass, *corev1.PersistentVolumeClaim, *corev1.PersistentVolumeSpec)
}

// Start starts the controllers that provision and delete volumes.
func (d CSI) Start() error {
	if err := d.NewController(d.Name+"-provisioner", &corev1.PersistentVolumeClaim{}).
		Complete(reconcile.Func(d.provide)); err != nil {
		return err
	}
	if err := d.NewController(d.Name+"-resizer", &corev1.PersistentVolumeClaim{}).
		Complete(reconcile.Func(d.expand)); err != nil {
		return err
	}
	if err := d.NewController(d.Name+"-snapshotter", Unstructured(snapshotKind)).
		Complete(d.ForExisting(snapshotKind, d.snapshot)); err != nil {
		return err
	}
	return d.NewController(d.Name+"-deleter", &corev1.PersistentVolume{}).Complete(reconcile.Func(d.reclaim))
}

// provide creates the volume of a claim. The persistent volume controller names the provisioner in an annotation.
func (d CSI) provide(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := Exists(ctx, d.Client, claim)
	if err != nil || !found || claim.DeletionTimestamp != nil || claim.Spec.VolumeName != "" ||
		!d.Provides(claim.Annotations[provisionerAnnotation]) {
		return reconcile.Result{}, err
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: ptr.Deref(claim.Spec.StorageClassName, "")}}
	if found, err := Exists(ctx, d.Client, class); err != nil || !found {
		return reconcile.Result{}, err
	}
	if d.Faults.Active(fault.VolumeFails) || fault.On(class, fault.VolumeFails) {
		return RequeueAfter(d.Pace.Scale(volumeRetry)), operator.Warn(ctx, d.Live, claim, class.Provisioner,
			"ProvisioningFailed", msgNoSpace(class.Name))
	}
	if wait := d.Remaining(volumeTime, "volume"+string(claim.UID)); wait > 0 {
		return RequeueAfter(wait), nil
	}
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: "pvc-" + string(claim.UID), Annotations: map[string]string{provisionedAnnotation: class.Provisioner},
		},
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
		},
	}
	d.Source(class, claim, &pv.Spec)
	return reconcile.Result{}, Create(ctx, d.Client, pv)
}

// msgNoSpace is external-provisioner's message. What the driver says at its end is made up.
func msgNoSpace(class string) string {
	return fmt.Sprintf("failed to provision volume with StorageClass %q: rpc error: code = ResourceExhausted desc = "+
		"not enough free space in the pool", class)
}

// reclaim deletes a released volume of these drivers whose policy is Delete.
func (d CSI) reclaim(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	found, err := Exists(ctx, d.Client, pv)
	if err != nil || !found || pv.DeletionTimestamp != nil || !d.Provides(pv.Annotations[provisionedAnnotation]) ||
		pv.Status.Phase != corev1.VolumeReleased ||
		pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, Remove(ctx, d.Client, pv)
}
