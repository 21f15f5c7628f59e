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
	// virtClassAnnotation marks the class CDI takes for virtual machines' disks before the default one.
	virtClassAnnotation = "storageclass.kubevirt.io/is-default-virt-class"
	// noProvisioner marks classes without dynamic provisioning, such as those of the Local Storage Operator.
	noProvisioner = "kubernetes.io/no-provisioner"
	// noobaaSuffix and bucketSuffix end the provisioners of object buckets.
	noobaaSuffix = ".noobaa.io/obc"
	bucketSuffix = ".ceph.rook.io/bucket"
)

// classes lists the StorageClasses for a check of those in use. The finding is why there is nothing to check.
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

// storageClasses lists those that are not being deleted.
func storageClasses(ctx context.Context, r kube.Reader) ([]storagev1.StorageClass, error) {
	list := &storagev1.StorageClassList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(sc storagev1.StorageClass) bool { return sc.DeletionTimestamp != nil }), nil
}

// defaultsOf returns the classes marked as default, the one Kubernetes (1.26 and later) uses first: the newest, of
// several of the same age the first by name.
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

// unusable says why a class makes no volumes when a claim asks for one; "" means nothing is known against it.
//
// That no CSIDriver of its provisioner is there proves nothing: CSI drivers need not have one, and provisioners that
// are no CSI drivers have none.
func unusable(sc *storagev1.StorageClass) string {
	switch {
	case sc.Provisioner == noProvisioner:
		return "makes no volumes by itself (provisioner " + noProvisioner + ")"
	case strings.HasSuffix(sc.Provisioner, noobaaSuffix), strings.HasSuffix(sc.Provisioner, bucketSuffix):
		return "makes object buckets, not volumes (provisioner " + sc.Provisioner + ")"
	}
	return ""
}

// diskClass is the class of disks of virtual machines that name none: CDI takes the one marked for virtualization, else
// the default one. Nil means there is neither.
func diskClass(classes []storagev1.StorageClass) *storagev1.StorageClass {
	for _, marked := range [][]storagev1.StorageClass{virtDefaultsOf(classes), defaultsOf(classes)} {
		if len(marked) > 0 {
			return &marked[0]
		}
	}
	return nil
}

// EtcdClass is the class of volumes for etcd that name none: the default one. Nil means there is none.
func EtcdClass(classes []storagev1.StorageClass) *storagev1.StorageClass {
	if marked := defaultsOf(classes); len(marked) > 0 {
		return &marked[0]
	}
	return nil
}

// DiskClass is diskClass, for those who try the class.
func DiskClass(classes []storagev1.StorageClass) *storagev1.StorageClass { return diskClass(classes) }

// virtDefaultsOf returns the classes marked for virtual machines, the newest, which CDI takes, first.
func virtDefaultsOf(classes []storagev1.StorageClass) []storagev1.StorageClass {
	marked := slices.DeleteFunc(slices.Clone(classes),
		func(sc storagev1.StorageClass) bool { return sc.Annotations[virtClassAnnotation] != "true" })
	newestFirst(marked)
	return marked
}

// usedClasses are the classes hosted clusters get volumes of if they name none: for etcd the default one, for their
// workers' disks diskClass.
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

// cephDriver reports whether a provisioner is a Ceph CSI driver of Data Foundation in the namespace. Up to 4.15 drivers
// are named after it, from 4.16 on after openshift-storage wherever it is.
func cephDriver(provisioner, namespace string) bool {
	return strings.HasSuffix(provisioner, ".csi.ceph.com") &&
		(strings.HasPrefix(provisioner, namespace+".") || strings.HasPrefix(provisioner, "openshift-storage."))
}
