package virtualization

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operators/datafoundation"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// importTime is the time to fill a disk after its claim is bound.
const importTime = 1500 * time.Millisecond

// dataVolume reconciles a DataVolume as CDI does: a claim of the same name, then its contents.
func (v *virtualization) dataVolume(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, v.Client, dv); err != nil || !found || dv.DeletionTimestamp != nil {
		return reconcile.Result{}, err
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: dv.Namespace, Name: dv.Name}}
	found, err := framework.Exists(ctx, v.Client, claim)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found {
		why, err := v.claim(ctx, dv, claim)
		if err != nil {
			return reconcile.Result{}, err
		}
		if why != "" {
			return reconcile.Result{}, v.dvStatus(ctx, dv, cdiv1.Pending, "ErrClaimNotValid", why)
		}
	}
	if claim.Status.Phase != corev1.ClaimBound {
		late, err := v.waitsForConsumer(ctx, claim)
		if err != nil {
			return reconcile.Result{}, err
		}
		if late {
			return reconcile.Result{}, v.dvStatus(ctx, dv, cdiv1.WaitForFirstConsumer, "Pending", "PVC "+claim.Name+" Pending")
		}
		return reconcile.Result{}, v.dvStatus(ctx, dv, cdiv1.Pending, "Pending", "PVC "+claim.Name+" Pending")
	}
	if dv.Status.Phase == cdiv1.Succeeded {
		return reconcile.Result{}, nil
	}
	if v.faulty(fault.VMImportPending, dv) {
		v.Forget("import" + string(dv.UID))
		if err := v.importer(ctx, dv, claim, true); err != nil {
			return reconcile.Result{}, err
		}
		return framework.RequeueAfter(v.Pace.Scale(pullRetry)), v.dvStatus(ctx, dv, cdiv1.ImportScheduled, "Pending",
			"Importer pod is not scheduled yet")
	}
	if v.pullFails(dv) {
		v.Forget("import" + string(dv.UID))
		if err := v.importer(ctx, dv, claim, false); err != nil {
			return reconcile.Result{}, err
		}
		return framework.RequeueAfter(v.Pace.Scale(pullRetry)), v.dvStatus(ctx, dv, cdiv1.ImportInProgress, reasonPullFailed,
			pullFailure(dv))
	}
	if wait := v.Remaining(importTime, "import"+string(dv.UID)); wait > 0 {
		return framework.RequeueAfter(wait), v.dvStatus(ctx, dv, cdiv1.ImportInProgress, "Pod is running", "")
	}
	if err := framework.Remove(ctx, v.Client, importerPod(dv, claim)); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, v.dvStatus(ctx, dv, cdiv1.Succeeded, "Completed", "Import Complete")
}

// claim creates the claim of a DataVolume. If it cannot, why says what the DataVolume or the cluster lacks.
func (v *virtualization) claim(ctx context.Context, dv *cdiv1.DataVolume,
	claim *corev1.PersistentVolumeClaim) (why string, err error) {
	spec := corev1.PersistentVolumeClaimSpec{}
	switch {
	case dv.Spec.PVC != nil:
		spec = *dv.Spec.PVC.DeepCopy()
	case dv.Spec.Storage != nil:
		s := dv.Spec.Storage.DeepCopy()
		spec = corev1.PersistentVolumeClaimSpec{
			AccessModes: s.AccessModes, Selector: s.Selector, Resources: s.Resources, VolumeName: s.VolumeName,
			StorageClassName: s.StorageClassName, VolumeMode: s.VolumeMode,
		}
		if why, err = v.applyProfile(ctx, &spec); err != nil || why != "" {
			return why, err
		}
	default:
		return "DataVolume has neither pvc nor storage", nil
	}
	claim.Spec = spec
	claim.Labels = map[string]string{"app": "containerized-data-importer",
		"app.kubernetes.io/managed-by": "cdi-controller"}
	maps.Copy(claim.Labels, dv.Labels)
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(dv,
		cdiv1.SchemeGroupVersion.WithKind("DataVolume"))}
	return "", framework.Create(ctx, v.Client, claim)
}

// applyProfile sets the missing fields of a DataVolume's storage: the class (the default for virtual machines first),
// then access modes and volume mode from that class's StorageProfile.
func (v *virtualization) applyProfile(ctx context.Context,
	spec *corev1.PersistentVolumeClaimSpec) (why string, err error) {
	if spec.StorageClassName == nil {
		classes := &storagev1.StorageClassList{}
		if err := v.Client.List(ctx, classes); err != nil {
			return "", err
		}
		for _, annotation := range []string{framework.DefaultVirtClassAnnotation, framework.DefaultClassAnnotation} {
			for _, c := range classes.Items {
				if c.Annotations[annotation] == "true" && spec.StorageClassName == nil {
					spec.StorageClassName = ptr.To(c.Name)
				}
			}
		}
	}
	if len(spec.AccessModes) > 0 && spec.VolumeMode != nil || len(spec.AccessModes) > 0 && spec.StorageClassName == nil {
		return "", nil
	}
	if spec.StorageClassName == nil {
		return "DataVolume spec is missing accessMode and no storageClass to choose profile", nil
	}
	profile := &cdiv1.StorageProfile{ObjectMeta: metav1.ObjectMeta{Name: *spec.StorageClassName}}
	if _, err := framework.Exists(ctx, v.Client, profile); err != nil {
		return "", err
	}
	for _, p := range profile.Status.ClaimPropertySets {
		if len(spec.AccessModes) > 0 && spec.AccessModes[0] != p.AccessModes[0] {
			continue
		}
		if spec.VolumeMode == nil {
			spec.VolumeMode = p.VolumeMode
		}
		if *spec.VolumeMode == *p.VolumeMode {
			spec.AccessModes = p.AccessModes
			return "", nil
		}
	}
	if len(spec.AccessModes) == 0 {
		return fmt.Sprintf("no accessMode specified in StorageProfile %s", *spec.StorageClassName), nil
	}
	return "", nil
}

func (v *virtualization) waitsForConsumer(ctx context.Context, claim *corev1.PersistentVolumeClaim) (bool, error) {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: ptr.Deref(claim.Spec.StorageClassName, "")}}
	if class.Name == "" {
		return false, nil
	}
	found, err := framework.Exists(ctx, v.Client, class)
	return found && ptr.Deref(class.VolumeBindingMode, "") == storagev1.VolumeBindingWaitForFirstConsumer, err
}

func (v *virtualization) dvStatus(ctx context.Context, dv *cdiv1.DataVolume, phase cdiv1.DataVolumePhase, reason,
	message string) error {
	return framework.WriteStatus(ctx, v.Client, dv, func(dv *cdiv1.DataVolume) {
		dv.Status.Phase, dv.Status.ClaimName = phase, dv.Name
		bound, ready := corev1.ConditionFalse, corev1.ConditionFalse
		if phase == cdiv1.ImportScheduled || phase == cdiv1.ImportInProgress || phase == cdiv1.Succeeded {
			bound = corev1.ConditionTrue
			dv.Status.Progress = "N/A"
		}
		running := corev1.ConditionFalse
		switch phase {
		case cdiv1.ImportInProgress:
			if reason != reasonPullFailed {
				running = corev1.ConditionTrue
			}
		case cdiv1.Succeeded:
			ready = corev1.ConditionTrue
			dv.Status.Progress = "100.0%"
		}
		for _, c := range []cdiv1.DataVolumeCondition{
			{Type: cdiv1.DataVolumeReady, Status: ready},
			{Type: cdiv1.DataVolumeBound, Status: bound},
			{Type: cdiv1.DataVolumeRunning, Status: running, Reason: reason, Message: message},
		} {
			setDataVolumeCondition(&dv.Status.Conditions, c)
		}
	})
}

func setDataVolumeCondition(list *[]cdiv1.DataVolumeCondition, c cdiv1.DataVolumeCondition) {
	c.LastTransitionTime = metav1.Now()
	c.LastHeartbeatTime = c.LastTransitionTime
	for i, old := range *list {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status && old.Reason == c.Reason && old.Message == c.Message {
			return
		}
		(*list)[i] = c
		return
	}
	*list = append(*list, c)
}

// profile writes the StorageProfile of a StorageClass.
func (v *virtualization) profile(ctx context.Context, req reconcile.Request) (ctrl.Result, error) {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	profile := &cdiv1.StorageProfile{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	found, err := framework.Exists(ctx, v.Client, class)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !found || class.DeletionTimestamp != nil {
		return ctrl.Result{}, framework.Remove(ctx, v.Client, profile)
	}
	if err := framework.Create(ctx, v.Client, profile); err != nil {
		return ctrl.Result{}, err
	}
	if found, err := framework.Exists(ctx, v.Client, profile); err != nil || !found {
		return ctrl.Result{}, err
	}
	sets, err := v.propertySets(ctx, class)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, framework.WriteStatus(ctx, v.Client, profile, func(p *cdiv1.StorageProfile) {
		p.Status.StorageClass, p.Status.Provisioner = ptr.To(class.Name), ptr.To(class.Provisioner)
		p.Status.ClaimPropertySets = p.Spec.ClaimPropertySets
		if len(p.Spec.ClaimPropertySets) == 0 {
			p.Status.ClaimPropertySets = sets
		}
		if len(p.Status.ClaimPropertySets) > 0 && class.Provisioner != "kubernetes.io/no-provisioner" {
			p.Status.CloneStrategy = ptr.To(cdiv1.CloneStrategyCsiClone)
		}
	})
}

// propertySets returns CDI's settings for a provisioner, the best first; none for an unknown provisioner.
func (v *virtualization) propertySets(ctx context.Context,
	class *storagev1.StorageClass) ([]cdiv1.ClaimPropertySet, error) {
	one := func(access corev1.PersistentVolumeAccessMode, mode corev1.PersistentVolumeMode) cdiv1.ClaimPropertySet {
		return cdiv1.ClaimPropertySet{AccessModes: []corev1.PersistentVolumeAccessMode{access}, VolumeMode: ptr.To(mode)}
	}
	const block, files = corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem
	switch class.Provisioner {
	case datafoundation.RBDDriver:
		return []cdiv1.ClaimPropertySet{one(corev1.ReadWriteMany, block), one(corev1.ReadWriteOnce, block),
			one(corev1.ReadWriteOnce, files)}, nil
	case datafoundation.CephFSDriver:
		return []cdiv1.ClaimPropertySet{one(corev1.ReadWriteMany, files)}, nil
	case "topolvm.io":
		return []cdiv1.ClaimPropertySet{one(corev1.ReadWriteOnce, block), one(corev1.ReadWriteOnce, files)}, nil
	case "kubevirt.io.hostpath-provisioner":
		return []cdiv1.ClaimPropertySet{one(corev1.ReadWriteOnce, files)}, nil
	case "kubernetes.io/no-provisioner":
		// CDI reads the volumes of such a class.
		volumes := &corev1.PersistentVolumeList{}
		if err := v.Client.List(ctx, volumes); err != nil {
			return nil, err
		}
		for _, pv := range volumes.Items {
			if pv.Spec.StorageClassName == class.Name && len(pv.Spec.AccessModes) > 0 {
				return []cdiv1.ClaimPropertySet{one(pv.Spec.AccessModes[0], ptr.Deref(pv.Spec.VolumeMode, files))}, nil
			}
		}
	}
	return nil, nil
}
