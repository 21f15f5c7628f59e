package operators

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/util/version"
)

const (
	defaultClassAnnotation     = "storageclass.kubernetes.io/is-default-class"
	defaultVirtClassAnnotation = "storageclass.kubevirt.io/is-default-virt-class"
)

var snapshotClassKind = schema.GroupVersionKind{Group: "snapshot.storage.k8s.io", Version: "v1", Kind: "VolumeSnapshotClass"}

// atLeast tells whether the OpenShift minor (and with it the ODF minor) is at least minor.
func atLeast(have, minor string) bool {
	v, err := utilversion.ParseGeneric(have)
	return err == nil && v.AtLeast(utilversion.MustParseGeneric(minor))
}
