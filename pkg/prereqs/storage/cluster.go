package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// storageCluster: Ceph, on the volumes made of the nodes' disks.
type storageCluster struct{ common }

func (s storageCluster) step() step.Step {
	return step.Step{
		ID: Cluster, Title: "storage cluster", Needs: []step.ID{DataFoundation, LocalVolumes},
		Check: s.check, Apply: s.apply, Timeout: 40 * time.Minute,
	}
}

func (s storageCluster) check(ctx context.Context) step.Finding {
	s.c.Prefetch(ctx, kube.StorageCluster, kube.LVMCluster)
	if f := s.unneeded(ctx, sourceDataFoundation); f != nil {
		return *f
	}
	clusters, err := storageClusters(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("StorageClusters")
	}
	f := judgeStorageClusters(clusters, s.c.Now())
	if f.State != step.StateOK {
		return f
	}
	volumes, err := localDisks(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("PersistentVolumes")
	}
	return judgeDevices(activeStorageCluster(clusters), volumes, f)
}

func (s storageCluster) apply(ctx context.Context) (step.Change, error) {
	clusters, err := storageClusters(ctx, s.c)
	if err != nil {
		return "", err
	}
	volumes, err := localDisks(ctx, s.c)
	if err != nil {
		return "", fmt.Errorf("PersistentVolumes: %w", err)
	}
	if len(clusters) > 0 {
		return s.grow(ctx, activeStorageCluster(clusters), volumes)
	}
	return s.create(ctx, volumes)
}

// create builds one on the volumes there are.
func (s storageCluster) create(ctx context.Context, volumes []localDisk) (step.Change, error) {
	namespace, version, err := s.operator(olm.DataFoundation()).Installed(ctx)
	if err != nil {
		return "", err
	}
	class, err := diskSource(ctx, s.c)
	if err != nil {
		return "", err
	}
	disks, _ := disksOf(volumes, class, namespace)
	if disks == 0 {
		return "", fmt.Errorf("there are no free PersistentVolumes of class %s to build a StorageCluster on", class)
	}
	classes, err := storageClasses(ctx, s.c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	if hasStorageSystems(version) {
		change, err = s.c.Apply(ctx, newStorageSystem(namespace))
		if err != nil {
			return "", err
		}
	}
	cluster := newStorageCluster(namespace, class, disks)
	if marksDefaultClass(version) && s.wantsDefault(classes) {
		setDefaultClass(cluster)
	}
	created, err := s.c.Apply(ctx, cluster)
	return step.Join(change, created), err
}

// wantsDefault tells whether the class of the new Cluster is to be the default one: a person has named it, or no
// other is.
func (s storageCluster) wantsDefault(classes []storagev1.StorageClass) bool {
	if s.o.DefaultClass != "" {
		return s.o.DefaultClass == storageClusterName+blockSuffix
	}
	return !slices.ContainsFunc(defaultsOf(classes), func(sc storagev1.StorageClass) bool { return unusable(&sc) == "" })
}
