package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	defaultClassAnnotation     = "storageclass.kubernetes.io/is-default-class"
	betaDefaultClassAnnotation = "storageclass.beta.kubernetes.io/is-default-class"
	// virtClassAnnotation marks the class that CDI prefers to the default one for disks of virtual machines.
	virtClassAnnotation = "storageclass.kubevirt.io/is-default-virt-class"
	// noProvisioner marks classes without dynamic provisioning, such as those of the Local Storage Operator.
	noProvisioner = "kubernetes.io/no-provisioner"
	// noobaaSuffix and bucketSuffix are suffixes of provisioners of object buckets.
	noobaaSuffix = ".noobaa.io/obc"
	bucketSuffix = ".ceph.rook.io/bucket"
)

// classes lists the StorageClasses for a check of the classes in use. The finding is set if there is nothing to check
// or they cannot be read.
func (s common) classes(ctx context.Context, r kube.Reader) ([]storagev1.StorageClass, *step.Finding) {
	if f := s.none(); f != nil {
		return nil, f
	}
	all, err := storageClasses(ctx, r)
	if err != nil {
		return nil, unread(err, "StorageClasses")
	}
	return all, nil
}

// storageClasses lists the StorageClasses that are not being deleted.
func storageClasses(ctx context.Context, r kube.Reader) ([]storagev1.StorageClass, error) {
	list := &storagev1.StorageClassList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(sc storagev1.StorageClass) bool { return sc.DeletionTimestamp != nil }), nil
}

// defaultsOf returns the classes marked as default. The first is the one that Kubernetes (1.26 and later) uses: the
// newest, and among classes of the same age the first by name.
func defaultsOf(classes []storagev1.StorageClass) []storagev1.StorageClass {
	marked := slices.DeleteFunc(slices.Clone(classes), func(sc storagev1.StorageClass) bool { return !markedDefault(&sc) })
	newestFirst(marked)
	return marked
}

func newestFirst(classes []storagev1.StorageClass) {
	slices.SortFunc(classes, func(a, b storagev1.StorageClass) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
}

func markedDefault(sc *storagev1.StorageClass) bool {
	return sc.Annotations[defaultClassAnnotation] == "true" || sc.Annotations[betaDefaultClassAnnotation] == "true"
}

// unusable returns why a class provisions no volumes for a claim, or "" if no reason is known.
//
// A missing CSIDriver proves nothing: CSI drivers need not have that object, and other provisioners have none.
func unusable(sc *storagev1.StorageClass) string {
	switch {
	case sc.Provisioner == noProvisioner:
		return "makes no volumes by itself (provisioner " + noProvisioner + ")"
	case strings.HasSuffix(sc.Provisioner, noobaaSuffix), strings.HasSuffix(sc.Provisioner, bucketSuffix):
		return "makes object buckets, not volumes (provisioner " + sc.Provisioner + ")"
	}
	return ""
}

// diskClass returns the class for disks of virtual machines that name no class: CDI takes the one marked for
// virtualization, else the default one. It returns nil if neither exists.
func diskClass(classes []storagev1.StorageClass) *storagev1.StorageClass {
	for _, marked := range [][]storagev1.StorageClass{virtDefaultsOf(classes), defaultsOf(classes)} {
		if len(marked) > 0 {
			return &marked[0]
		}
	}
	return nil
}

// EtcdClass returns the class for etcd volumes that name no class: the default one, or nil.
func EtcdClass(classes []storagev1.StorageClass) *storagev1.StorageClass {
	if marked := defaultsOf(classes); len(marked) > 0 {
		return &marked[0]
	}
	return nil
}

// DiskClass returns the class for disks of virtual machines that name no class: the one marked for virtualization, else
// the default one, else nil.
func DiskClass(classes []storagev1.StorageClass) *storagev1.StorageClass { return diskClass(classes) }

// virtDefaultsOf returns the classes marked for virtual machines. The first is the newest, which CDI takes.
func virtDefaultsOf(classes []storagev1.StorageClass) []storagev1.StorageClass {
	marked := slices.DeleteFunc(slices.Clone(classes),
		func(sc storagev1.StorageClass) bool { return sc.Annotations[virtClassAnnotation] != "true" })
	newestFirst(marked)
	return marked
}

// usedClasses returns the classes of hosted clusters that name none: the default one for etcd, diskClass for the disks
// of workers.
func usedClasses(classes []storagev1.StorageClass) []storagev1.StorageClass {
	var used []storagev1.StorageClass
	if marked := defaultsOf(classes); len(marked) > 0 {
		used = append(used, marked[0])
	}
	if disks := diskClass(classes); disks != nil && (len(used) == 0 || disks.Name != used[0].Name) {
		used = append(used, *disks)
	}
	return used
}

func classNames(classes []storagev1.StorageClass) []string {
	var names []string
	for i := range classes {
		names = append(names, classes[i].Name)
	}
	return names
}

// cephDriver reports whether a provisioner is a Ceph CSI driver of Data Foundation in the namespace. Up to 4.15 the
// name of a driver begins with the namespace; from 4.16 on it always begins with openshift-storage.
func cephDriver(provisioner, namespace string) bool {
	return strings.HasSuffix(provisioner, ".csi.ceph.com") &&
		(strings.HasPrefix(provisioner, namespace+".") || strings.HasPrefix(provisioner, "openshift-storage."))
}
