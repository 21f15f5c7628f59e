package localstorage

import (
	"context"
	"fmt"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// namedDevices is one entry of spec.storageClassDevices of a LocalVolume: disks by their paths.
type namedDevices struct {
	StorageClassName string                      `json:"storageClassName"`
	VolumeMode       corev1.PersistentVolumeMode `json:"volumeMode"`
	DevicePaths      []string                    `json:"devicePaths"`
}

func (n namedDevices) mode() corev1.PersistentVolumeMode {
	if n.VolumeMode == "" {
		return corev1.PersistentVolumeFilesystem
	}
	return n.VolumeMode
}

// names reports whether the disk is one of them. A disk that is named is taken whatever is written on it: the real
// operator looks only for mounts and partitions (4.15 to 4.21, ignoreDevices in pkg/diskmaker/controllers/lv).
func (n namedDevices) names(d disks.Disk) bool {
	return slices.Contains(n.DevicePaths, d.Path) || d.DeviceID != "" && slices.Contains(n.DevicePaths, d.DeviceID)
}

// provisionNamed reconciles a LocalVolume, whose status has one condition alone.
func (s *localStorage) provisionNamed(ctx context.Context, lv *unstructured.Unstructured) (ctrl.Result, error) {
	var classes []namedDevices
	if _, err := framework.Read(lv, &classes, "spec", "storageClassDevices"); err != nil {
		return ctrl.Result{}, err
	}
	if lv.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, s.cleanUpNamed(ctx, lv, classes)
	}
	if err := framework.AddFinalizer(ctx, s.Client, lv, localSetFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	where, err := disks.PlacementOf(lv)
	if err != nil {
		return ctrl.Result{}, err
	}
	desired, ready, err := s.diskMaker(ctx, lv, where)
	if err != nil {
		return ctrl.Result{}, err
	}
	for _, class := range classes {
		if err := s.ensureClass(ctx, lv, class.StorageClassName); err != nil {
			return ctrl.Result{}, err
		}
	}
	wait := s.Remaining(provisionTime, "volumes"+string(lv.GetUID()))
	if desired > 0 && ready == desired && wait == 0 {
		if err := s.namedVolumes(ctx, lv, where, classes); err != nil {
			return ctrl.Result{}, err
		}
	}
	return framework.RequeueAfter(wait), framework.WriteStatus(ctx, s.Client, lv, func(o *unstructured.Unstructured) {
		framework.Set(o, "Managed", "status", "managementState")
		framework.Set(o, int64(0), "status", "readyReplicas")
		framework.Set(o, o.GetGeneration(), "status", "observedGeneration")
		framework.OnlyCondition(o, framework.Plain,
			framework.Condition{Type: "Available", Status: "True", Reason: "", Message: "Ready"})
	})
}

// namedVolumes makes a volume of every disk that the LocalVolume names and that is empty or its own already.
func (s *localStorage) namedVolumes(ctx context.Context, lv *unstructured.Unstructured, where disks.Placement,
	classes []namedDevices) error {
	if err := s.clean(ctx, lv); err != nil {
		return err
	}
	taken := map[string]bool{}
	all := &corev1.PersistentVolumeList{}
	if err := s.Client.List(ctx, all); err != nil {
		return err
	}
	for _, pv := range all.Items {
		taken[pv.Labels[corev1.LabelHostname]+"/"+pv.Annotations[disks.DeviceAnnotation]] = true
	}
	nodes := &corev1.NodeList{}
	if err := s.Client.List(ctx, nodes); err != nil {
		return err
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		devices, err := disks.Of(node)
		if err != nil {
			return err
		}
		if ok, err := where.Matches(node); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		for _, class := range classes {
			for _, d := range disks.WithoutChildren(devices) {
				if !class.names(d) || d.Mounted() || taken[node.Name+"/"+path.Base(d.Path)] {
					continue
				}
				pv := s.localVolume(lv, class.StorageClassName, class.mode(), node.Name, d)
				if err := framework.Create(ctx, s.Client, pv); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cleanUpNamed removes the volumes and the StorageClasses of a deleted LocalVolume. Volumes block it until they are
// cleaned.
func (s *localStorage) cleanUpNamed(ctx context.Context, lv *unstructured.Unstructured, classes []namedDevices) error {
	left, err := s.release(ctx, lv)
	if err != nil {
		return err
	}
	if left {
		// The end of a claim or of a volume triggers a new reconcile.
		return s.Warn(ctx, lv, "LocalVolumeDeletionFailed", fmt.Sprintf("localvolume %s/%s has owned persistentvolumes "+
			"in use", lv.GetNamespace(), lv.GetName()))
	}
	for _, class := range classes {
		if err := framework.Remove(ctx, s.Client,
			&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class.StorageClassName}}); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer[client.Object](ctx, s.Client, lv, localSetFinalizer)
}
