package datafoundation

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// RBDDriver is the provisioner of block volumes.
	RBDDriver = storageNamespace + ".rbd.csi.ceph.com"
	// CephFSDriver is the provisioner of shared volumes.
	CephFSDriver = storageNamespace + ".cephfs.csi.ceph.com"
	noobaaDriver = storageNamespace + ".noobaa.io/obc"
)

// provides reports whether a provisioner is one of Data Foundation's.
func provides(provisioner string) bool {
	return strings.HasPrefix(provisioner, storageNamespace+".")
}

// classNames are those of the storage classes of a StorageCluster for volumes. The one for virtual machines comes with
// their kind.
func (f *dataFoundation) classNames(ctx context.Context, sc *unstructured.Unstructured) ([]string, error) {
	names := []string{sc.GetName() + "-ceph-rbd", sc.GetName() + "-cephfs"}
	kubevirt, err := f.Served(ctx, "virtualmachines.kubevirt.io")
	if kubevirt && framework.AtLeast(f.Profile.Minor(), "4.14") {
		names = append(names, sc.GetName()+"-ceph-rbd-virtualization")
	}
	return names, err
}

// bucketClass creates the class of NooBaa's object buckets.
func (f *dataFoundation) bucketClass(ctx context.Context) error {
	return f.class(ctx, storageClass(storageNamespace+".noobaa.io", noobaaDriver,
		map[string]string{"bucketclass": "noobaa-default-bucket-class"}))
}

// classes creates the storage classes and volume snapshot classes of a StorageCluster for volumes. from is the
// StorageClient that brings them, nil up to 4.18.
func (f *dataFoundation) classes(ctx context.Context, sc, from *unstructured.Unstructured) error {
	if err := f.RegisterDrivers(ctx, RBDDriver, CephFSDriver); err != nil {
		return err
	}
	name := sc.GetName()
	// These first: what waits for the default class then finds both.
	if err := f.snapshots(ctx, name, from); err != nil {
		return err
	}
	rbd := storageClass(name+"-ceph-rbd", RBDDriver, map[string]string{
		"clusterID": sc.GetNamespace(), "pool": name + "-cephblockpool", "imageFormat": "2",
		"csi.storage.k8s.io/fstype": "ext4",
		"imageFeatures":             "layering,deep-flatten,exclusive-lock,object-map,fast-diff",
	})
	rbd.Annotations = map[string]string{"description": "Provides RWO Filesystem volumes, and RWO and RWX Block volumes"}
	if f.makesDefault(sc) {
		rbd.Annotations[framework.DefaultClassAnnotation] = "true"
	}
	cephfs := storageClass(name+"-cephfs", CephFSDriver,
		map[string]string{"clusterID": sc.GetNamespace(), "fsName": name + "-cephfilesystem"})
	cephfs.Annotations = map[string]string{"description": "Provides RWO and RWX Filesystem volumes"}
	wanted := []*storagev1.StorageClass{rbd, cephfs}
	names, err := f.classNames(ctx, sc)
	if err != nil {
		return err
	}
	if len(names) > len(wanted) {
		virt := storageClass(names[len(wanted)], RBDDriver, map[string]string{
			"clusterID": sc.GetNamespace(), "pool": name + "-cephblockpool", "imageFormat": "2",
			"imageFeatures": rbd.Parameters["imageFeatures"], "mapOptions": "krbd:rxbounce", "mounter": "rbd",
		})
		virt.Annotations = map[string]string{"description": "Provides RWO and RWX Block volumes suitable for Virtual " +
			"Machine disks"}
		if f.makesVirtualDefault(sc) {
			virt.Annotations[framework.DefaultVirtClassAnnotation] = "true"
		}
		wanted = append(wanted, virt)
	}
	for _, class := range wanted {
		class.OwnerReferences = ownedBy(from)
		if err := f.class(ctx, class); err != nil {
			return err
		}
	}
	return f.markDefault(ctx, rbd.Name, sc)
}

// markDefault restores the mark of the default class. It reads both objects anew and fails on a conflict, so that a
// user who takes back first the field and then the mark keeps what they wrote.
func (f *dataFoundation) markDefault(ctx context.Context, name string, sc *unstructured.Unstructured) error {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := f.Client.Get(ctx, client.ObjectKeyFromObject(class), class); err != nil {
		return err
	}
	current := sc.DeepCopy()
	if err := f.Client.Get(ctx, client.ObjectKeyFromObject(sc), current); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !f.makesDefault(current) || class.Annotations[framework.DefaultClassAnnotation] == "true" {
		return nil
	}
	patch := client.MergeFromWithOptions(class.DeepCopy(), client.MergeFromWithOptimisticLock{})
	metav1.SetMetaDataAnnotation(&class.ObjectMeta, framework.DefaultClassAnnotation, "true")
	return f.Client.Patch(ctx, class, patch)
}

// makesDefault reports whether the StorageCluster makes its block class the default. ODF has this field since 4.15.
func (f *dataFoundation) makesDefault(sc *unstructured.Unstructured) bool {
	on, _, _ := unstructured.NestedBool(sc.Object, "spec", "managedResources", "cephBlockPools", "defaultStorageClass")
	return on && framework.AtLeast(f.Profile.Minor(), "4.15")
}

// makesVirtualDefault reports whether the StorageCluster's class for virtual machines is their default: always from
// 4.14 to 4.18, only if asked for from 4.19 on.
func (f *dataFoundation) makesVirtualDefault(sc *unstructured.Unstructured) bool {
	on, _, _ := unstructured.NestedBool(sc.Object, "spec", "managedResources", "cephBlockPools",
		"defaultVirtualizationStorageClass")
	return on || !framework.AtLeast(f.Profile.Minor(), "4.19")
}

// class creates a storage class and restores its own annotations, except for the default mark (markDefault).
func (f *dataFoundation) class(ctx context.Context, class *storagev1.StorageClass) error {
	annotations := class.Annotations
	return framework.Ensure(ctx, f.Client, class, func(c *storagev1.StorageClass) {
		for k, v := range annotations {
			if k == framework.DefaultClassAnnotation && c.ResourceVersion != "" {
				continue
			}
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, k, v)
		}
	})
}

func storageClass(name, provisioner string, parameters map[string]string) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta:           metav1.ObjectMeta{Name: name},
		Provisioner:          provisioner,
		Parameters:           parameters,
		ReclaimPolicy:        ptr.To(corev1.PersistentVolumeReclaimDelete),
		VolumeBindingMode:    ptr.To(storagev1.VolumeBindingImmediate),
		AllowVolumeExpansion: ptr.To(provisioner != noobaaDriver),
	}
}

func snapshotClassNames(cluster string) []string {
	return []string{cluster + "-rbdplugin-snapclass", cluster + "-cephfsplugin-snapclass"}
}

func snapshotClasses(cluster string) []client.Object {
	var out []client.Object
	for i, driver := range []string{RBDDriver, CephFSDriver} {
		c := framework.Unstructured(framework.SnapshotClassKind)
		c.SetName(snapshotClassNames(cluster)[i])
		c.Object["driver"] = driver
		c.Object["deletionPolicy"] = "Delete"
		c.Object["parameters"] = map[string]any{"clusterID": storageNamespace}
		out = append(out, c)
	}
	return out
}

// snapshots creates the volume snapshot classes once the API server has that kind.
func (f *dataFoundation) snapshots(ctx context.Context, cluster string, from *unstructured.Unstructured) error {
	ok, err := f.Served(ctx, "volumesnapshotclasses."+framework.SnapshotClassKind.Group)
	if !ok || err != nil {
		return err
	}
	for _, c := range snapshotClasses(cluster) {
		c.SetOwnerReferences(ownedBy(from))
		if err := framework.Create(ctx, f.Client, c); err != nil {
			return err
		}
	}
	return nil
}
