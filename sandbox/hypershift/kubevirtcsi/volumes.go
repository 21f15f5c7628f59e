package kubevirtcsi

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// release lets deleted claims go that no pod uses, and removes the volumes of those that are gone.
func (r *round) release(ctx context.Context) error {
	held := map[string]bool{}
	for i := range r.claims {
		claim := &r.claims[i]
		used := slices.ContainsFunc(r.pods, func(p corev1.Pod) bool { return alive(&p) && mounts(&p, claim) })
		if claim.DeletionTimestamp == nil || used {
			held[string(claim.UID)] = true
			continue
		}
		if err := r.without(ctx, claim, claimProtection); err != nil {
			return err
		}
	}
	for i := range r.volumes {
		pv := &r.volumes[i]
		if ref := pv.Spec.ClaimRef; ref == nil || held[string(ref.UID)] {
			continue
		}
		if pv.DeletionTimestamp == nil {
			if err := r.setPhase(ctx, pv, corev1.VolumeReleased); err != nil {
				return err
			}
		}
		attached := slices.ContainsFunc(r.attachments, func(a storagev1.VolumeAttachment) bool {
			return ptr.Deref(a.Spec.Source.PersistentVolumeName, "") == pv.Name
		})
		if attached || pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
			continue
		}
		dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: r.hcp.Namespace, Name: pv.Spec.CSI.VolumeHandle}}
		if err := r.Live.Delete(ctx, dv); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete a DataVolume of a guest: %w", err)
		}
		if err := r.guest.Delete(ctx, pv); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete a volume of a guest: %w", err)
		}
		if err := r.without(ctx, pv, volumeProtection, provisionerFinalizer); err != nil {
			return err
		}
	}
	return nil
}

// enlarge asks the management cluster for a larger volume, and takes it over when it is there. The file system of a
// volume in use is enlarged at once here.
func (r *round) enlarge(ctx context.Context) error {
	for i := range r.claims {
		claim := &r.claims[i]
		asked := claim.Spec.Resources.Requests[corev1.ResourceStorage]
		pv := r.volumeOf(claim)
		if pv == nil || claim.Status.Phase != corev1.ClaimBound ||
			asked.Cmp(claim.Status.Capacity[corev1.ResourceStorage]) <= 0 {
			continue
		}
		infra := &corev1.PersistentVolumeClaim{}
		if err := r.Live.Get(ctx, r.inInfra(pv.Spec.CSI.VolumeHandle), infra); err != nil {
			return fmt.Errorf("enlarge a volume of a guest: %w", err)
		}
		if asked.Cmp(*infra.Spec.Resources.Requests.Storage()) > 0 {
			before := infra.DeepCopy()
			infra.Spec.Resources.Requests[corev1.ResourceStorage] = asked
			if err := r.Live.Patch(ctx, infra, client.MergeFrom(before)); err != nil {
				return fmt.Errorf("enlarge a volume of a guest: %w", err)
			}
		}
		if asked.Cmp(infra.Status.Capacity[corev1.ResourceStorage]) > 0 {
			continue
		}
		before := pv.DeepCopy()
		pv.Spec.Capacity[corev1.ResourceStorage] = asked
		if err := r.guest.Patch(ctx, pv, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("enlarge a volume of a guest: %w", err)
		}
		earlier := claim.DeepCopy()
		claim.Status.Capacity[corev1.ResourceStorage] = asked
		if err := r.guest.Status().Patch(ctx, claim, client.MergeFrom(earlier)); err != nil {
			return fmt.Errorf("enlarge a volume of a guest: %w", err)
		}
	}
	return nil
}

// without takes finalizers off an object of the guest.
func (r *round) without(ctx context.Context, o client.Object, finalizers ...string) error {
	before, _ := o.DeepCopyObject().(client.Object)
	changed := false
	for _, f := range finalizers {
		changed = controllerutil.RemoveFinalizer(o, f) || changed
	}
	if !changed {
		return nil
	}
	if err := r.guest.Patch(ctx, o, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release %T %s of a guest: %w", o, o.GetName(), err)
	}
	return nil
}
