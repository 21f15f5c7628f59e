package prereqs

import (
	"context"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
)

// EtcdClass returns the class that a hosted cluster's etcd gets its volumes of if it names none; nil if there is none.
func EtcdClass(classes []storagev1.StorageClass) *storagev1.StorageClass {
	return storage.EtcdClass(classes)
}

// DiskClass returns the class of disks of virtual machines that name none; nil if there is none.
func DiskClass(classes []storagev1.StorageClass) *storagev1.StorageClass {
	return storage.DiskClass(classes)
}

// Mirrors returns the places that stand for a source of images, by source.
func Mirrors(ctx context.Context, r kube.Reader) (map[string][]string, error) {
	d, err := prereq.ReadDisconnection(ctx, r)
	return d.Mirrors, err
}
