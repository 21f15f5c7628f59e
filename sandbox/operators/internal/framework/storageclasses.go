package framework

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/util/version"
)

// Annotations of the default storage classes, of a cluster and of its virtual machines.
const (
	DefaultClassAnnotation     = "storageclass.kubernetes.io/is-default-class"
	DefaultVirtClassAnnotation = "storageclass.kubevirt.io/is-default-virt-class"
)

// SnapshotClassKind is the kind VolumeSnapshotClass.
var SnapshotClassKind = schema.GroupVersionKind{Group: "snapshot.storage.k8s.io", Version: "v1",
	Kind: "VolumeSnapshotClass"}

// AtLeast reports whether the OpenShift minor (and so the ODF minor) is at least minor.
func AtLeast(have, minor string) bool {
	v, err := utilversion.ParseGeneric(have)
	return err == nil && v.AtLeast(utilversion.MustParseGeneric(minor))
}
