package probe

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// volumeRights returns the rights of the probes of volumes.
func volumeRights() []access.Rule {
	return []access.Rule{
		{Verbs: "list", Resources: "storageclasses.storage.k8s.io volumesnapshotclasses.snapshot.storage.k8s.io",
			Why: "which classes volumes and snapshots get"},
		{Verbs: "get", Resources: "storageprofiles.cdi.kubevirt.io", Why: "which volumes the disks of VMs are; named as " +
			"the class is"},
		{Verbs: "create get list watch patch", Resources: "persistentvolumeclaims", Why: "a volume, and a larger one"},
		{Verbs: "list", Resources: "events", Why: "why there is no volume"},
		{Verbs: "create list watch", Resources: "volumesnapshots.snapshot.storage.k8s.io", Why: "a snapshot of the volume"},
	}
}

// enlarge requests a larger volume, if the class allows that.
func (s *session) enlarge(ctx context.Context, class *storagev1.StorageClass,
	claim *corev1.PersistentVolumeClaim) (string, step.Finding) {
	if !ptr.Deref(class.AllowVolumeExpansion, false) {
		return "", step.OK("")
	}
	patch := fmt.Sprintf(`{"spec":{"resources":{"requests":{"storage":%q}}}}`, largerSize)
	if err := retried(ctx, func() error {
		return s.client.Patch(ctx, claim.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)),
			client.FieldOwner(kube.FieldOwner))
	}); err != nil {
		return "", failure(err)
	}
	return "enlarged", s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &corev1.PersistentVolumeClaim{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(claim), now); err != nil {
			return kube.Unknown(err)
		}
		f := judgeLarger(now)
		if s.options.inside && f.State != step.StateOK {
			// HyperShift writes allowVolumeExpansion into every class, whatever the class behind it does (4.18 and later).
			f = f.WithHint("the class behind it in the management cluster needs allowVolumeExpansion, too (%s#hosted-storage)",
				docs)
		}
		return f
	})
}

// judgeLarger reports whether a volume has the size that its claim requests. The kubelet expands its file system when a
// pod uses it again.
func judgeLarger(claim *corev1.PersistentVolumeClaim) step.Finding {
	if has := claim.Status.Capacity[corev1.ResourceStorage]; has.Cmp(resource.MustParse(largerSize)) >= 0 {
		return step.OK("")
	}
	last := ""
	for _, c := range claim.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		if c.Type == corev1.PersistentVolumeClaimFileSystemResizePending {
			return step.OK("")
		}
		last = fmt.Sprintf(" (%s: %s)", c.Type, short(c.Message))
	}
	return step.Pending("its class has allowVolumeExpansion, but the volume was not enlarged%s", last)
}

// snapshot takes a snapshot of the volume, if its driver has a VolumeSnapshotClass.
func (s *session) snapshot(ctx context.Context, class *storagev1.StorageClass,
	claim *corev1.PersistentVolumeClaim) (string, step.Finding) {
	list := kube.VolumeSnapshotClass.NewList()
	if err := s.client.List(ctx, list); err != nil {
		if kube.IsKindMissing(err) {
			return "", step.OK("")
		}
		return "", failure(err)
	}
	name := snapshotClass(list.Items, class.Provisioner)
	if name == "" {
		return "", step.OK("")
	}
	snapshot := kube.VolumeSnapshot.New()
	snapshot.SetNamespace(s.namespace)
	snapshot.SetName("snapshot")
	snapshot.Object["spec"] = map[string]any{"volumeSnapshotClassName": name,
		"source": map[string]any{"persistentVolumeClaimName": claim.Name}}
	if err := s.create(ctx, snapshot); err != nil {
		return "", failure(err)
	}
	return "snapshot taken", s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := kube.VolumeSnapshot.New()
		if err := r.Get(ctx, client.ObjectKeyFromObject(snapshot), now); err != nil {
			return kube.Unknown(err)
		}
		if kube.Flag(now, "status", "readyToUse") {
			return step.OK("")
		}
		return step.Pending("VolumeSnapshotClass %s is for its driver, but the snapshot is not ready: %s", name,
			short(kube.Text(now, "status", "error", "message")))
	})
}

// snapshotClass returns the first VolumeSnapshotClass of a driver that deletes its snapshots, or "".
func snapshotClass(classes []unstructured.Unstructured, driver string) string {
	for i := range classes {
		c := &classes[i]
		if c.Object["driver"] == driver && c.Object["deletionPolicy"] == string(corev1.PersistentVolumeReclaimDelete) {
			return c.GetName()
		}
	}
	return ""
}
