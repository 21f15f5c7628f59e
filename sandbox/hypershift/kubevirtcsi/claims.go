package kubevirtcsi

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What Kubernetes' volume controllers and external-provisioner write.
const (
	provisionerAnnotation = "volume.kubernetes.io/storage-provisioner"
	provisionedAnnotation = "pv.kubernetes.io/provisioned-by"
	boundAnnotation       = "pv.kubernetes.io/bound-by-controller"
	completedAnnotation   = "pv.kubernetes.io/bind-completed"
	claimProtection       = "kubernetes.io/pvc-protection"
	volumeProtection      = "kubernetes.io/pv-protection"
	provisionerFinalizer  = "external-provisioner.volume.kubernetes.io/finalizer"

	keepAnnotation  = "cdi.kubevirt.io/storage.deleteAfterCompletion"
	serialParameter = "serial"
)

func (r *round) classOf(claim *corev1.PersistentVolumeClaim) *storagev1.StorageClass {
	return r.classes[ptr.Deref(claim.Spec.StorageClassName, "")]
}

// volumeOf returns the volume of a claim, nil if it has none.
func (r *round) volumeOf(claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	at := slices.IndexFunc(r.volumes, func(v corev1.PersistentVolume) bool {
		return v.Spec.ClaimRef != nil && v.Spec.ClaimRef.UID == claim.UID
	})
	if at < 0 {
		return nil
	}
	return &r.volumes[at]
}

// provision makes and binds the volume of each claim that has none. With WaitForFirstConsumer it waits for a pod.
func (r *round) provision(ctx context.Context) error {
	for i := range r.claims {
		claim := &r.claims[i]
		class := r.classOf(claim)
		if claim.DeletionTimestamp != nil || claim.Spec.VolumeName != "" || class == nil {
			continue
		}
		late := ptr.Deref(class.VolumeBindingMode, "") == storagev1.VolumeBindingWaitForFirstConsumer
		if late && !slices.ContainsFunc(r.pods, func(p corev1.Pod) bool { return alive(&p) && mounts(&p, claim) }) {
			continue
		}
		if err := r.provisionOne(ctx, claim, class); err != nil {
			return err
		}
	}
	return nil
}

func (r *round) provisionOne(ctx context.Context, claim *corev1.PersistentVolumeClaim,
	class *storagev1.StorageClass) error {
	if why := r.refusal(claim, class); why != "" {
		return r.refuse(ctx, claim, why)
	}
	dv, err := r.dataVolume(ctx, claim, class)
	if err != nil {
		return err
	}
	pv := r.volumeOf(claim)
	if pv == nil {
		pv = persistentVolume(claim, class, dv)
		if err := r.guest.Create(ctx, pv); client.IgnoreAlreadyExists(err) != nil {
			return fmt.Errorf("make a volume in a guest: %w", err)
		} else if err != nil {
			return nil // the next round sees it
		}
		r.volumes = append(r.volumes, *pv)
	}
	before := claim.DeepCopy()
	claim.Spec.VolumeName = pv.Name
	setAnnotation(claim, provisionerAnnotation, driverName)
	setAnnotation(claim, boundAnnotation, "yes")
	setAnnotation(claim, completedAnnotation, "yes")
	if err := r.guest.Patch(ctx, claim, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("bind a claim in a guest: %w", err)
	}
	before = claim.DeepCopy()
	claim.Status.Phase, claim.Status.AccessModes = corev1.ClaimBound, claim.Spec.AccessModes
	claim.Status.Capacity = pv.Spec.Capacity
	if err := r.guest.Status().Patch(ctx, claim, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("bind a claim in a guest: %w", err)
	}
	return r.setPhase(ctx, pv, corev1.VolumeBound)
}

// refusal says why the driver does not make a volume, with its own words (validateCreateVolumeRequest).
func (r *round) refusal(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) string {
	block := ptr.Deref(claim.Spec.VolumeMode, "") == corev1.PersistentVolumeBlock
	if slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteMany) && !block {
		return "non-block volume with RWX access mode is not supported"
	}
	infra := class.Parameters[infraClassParameter]
	allowed := infra == "" && storageType(r.hcp) == hyperv1.DefaultKubevirtStorageDriverConfigType
	for _, m := range manual(r.hcp).StorageClassMapping {
		allowed = allowed || infra != "" && m.InfraStorageClassName == infra
	}
	if !allowed {
		return "infraStorageclass is not in the allowed list"
	}
	return ""
}

// refuse tells of a claim without a volume once, as external-provisioner does.
func (r *round) refuse(ctx context.Context, claim *corev1.PersistentVolumeClaim, why string) error {
	now := metav1.Now()
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: claim.Name + "." + string(claim.UID)},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim",
			Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
		Type: corev1.EventTypeWarning, Reason: "ProvisioningFailed", Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Message: fmt.Sprintf("failed to provision volume with StorageClass %q: rpc error: code = InvalidArgument desc = %s",
			*claim.Spec.StorageClassName, why),
		Source: corev1.EventSource{Component: driverName},
	}
	if err := r.guest.Create(ctx, event); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("tell of a claim in a guest: %w", err)
	}
	return nil
}

// dataVolume makes the DataVolume of a claim in the control plane's namespace, named as its volume is.
func (r *round) dataVolume(ctx context.Context, claim *corev1.PersistentVolumeClaim,
	class *storagev1.StorageClass) (*cdiv1.DataVolume, error) {
	dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{
		Namespace: r.hcp.Namespace, Name: "pvc-" + string(claim.UID), Labels: r.labels(),
		Annotations: map[string]string{keepAnnotation: "false"},
	}}
	dv.Spec.Source = &cdiv1.DataVolumeSource{Blank: &cdiv1.DataVolumeBlankImage{}}
	dv.Spec.Storage = &cdiv1.StorageSpec{Resources: corev1.VolumeResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceStorage: *claim.Spec.Resources.Requests.Storage()}}}
	if slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteMany) {
		dv.Spec.Storage.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	}
	if infra := class.Parameters[infraClassParameter]; infra != "" {
		dv.Spec.Storage.StorageClassName = &infra
	}
	err := r.Live.Create(ctx, dv)
	if apierrors.IsAlreadyExists(err) {
		err = r.Live.Get(ctx, client.ObjectKeyFromObject(dv), dv)
	}
	if err != nil {
		return nil, fmt.Errorf("make a DataVolume for a guest: %w", err)
	}
	return dv, nil
}

func persistentVolume(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass,
	dv *cdiv1.DataVolume) *corev1.PersistentVolume {
	bus := class.Parameters[busParameter]
	if bus == "" {
		bus = busDefault
	}
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: dv.Name,
		Annotations: map[string]string{provisionedAnnotation: driverName}, Finalizers: []string{provisionerFinalizer}}}
	pv.Spec = corev1.PersistentVolumeSpec{
		Capacity: claim.Spec.Resources.Requests, AccessModes: claim.Spec.AccessModes, VolumeMode: claim.Spec.VolumeMode,
		StorageClassName:              class.Name,
		PersistentVolumeReclaimPolicy: ptr.Deref(class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete),
		ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace,
			Name: claim.Name, UID: claim.UID},
		PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
			Driver: driverName, VolumeHandle: dv.Name,
			VolumeAttributes: map[string]string{busParameter: bus, serialParameter: string(dv.UID)},
		}},
	}
	return pv
}

func (r *round) setPhase(ctx context.Context, pv *corev1.PersistentVolume, phase corev1.PersistentVolumePhase) error {
	if pv.Status.Phase == phase {
		return nil
	}
	before := pv.DeepCopy()
	pv.Status.Phase = phase
	if err := r.guest.Status().Patch(ctx, pv, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("write the phase of a volume in a guest: %w", err)
	}
	return nil
}

func setAnnotation(o client.Object, key, value string) {
	all := o.GetAnnotations()
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	o.SetAnnotations(all)
}

// ignoreRaces leaves what somebody changed or deleted meanwhile to the next round.
func ignoreRaces(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
