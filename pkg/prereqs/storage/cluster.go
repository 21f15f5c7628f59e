package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	Cluster              step.ID = "storage/cluster"
	removeStorageCluster step.ID = "uninstall/storage-cluster"
)

// storageCluster deploys Ceph on the volumes of the nodes' disks.
type storageCluster struct{ common }

func (s storageCluster) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Cluster, Title: "storage cluster", Needs: []step.ID{DataFoundation, LocalVolumes},
		Check: s.check, Apply: s.apply, Timeout: 40 * time.Minute,
		Rights: storageClusterRights(),
		Remove: []prereq.Removal{s.removal()},
	}
}

func (s storageCluster) check(ctx context.Context, r kube.Reader) step.Finding {
	r.Prefetch(ctx, kube.StorageCluster, kube.LVMCluster)
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return *f
	}
	clusters, err := storageClusters(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("StorageClusters")
	}
	f := judgeStorageClusters(clusters, r.Now())
	if f.State != step.StateOK {
		return f
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("PersistentVolumes")
	}
	return judgeDevices(activeStorageCluster(clusters), volumes, f)
}

func (s storageCluster) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	clusters, err := storageClusters(ctx, c)
	if err != nil {
		return "", err
	}
	volumes, err := localDisks(ctx, c)
	if err != nil {
		return "", fmt.Errorf("PersistentVolumes: %w", err)
	}
	if len(clusters) > 0 {
		return s.grow(ctx, c, activeStorageCluster(clusters), volumes)
	}
	return s.create(ctx, c, volumes)
}

// create builds one on the volumes there are.
func (s storageCluster) create(ctx context.Context, c *kube.Client, volumes []localDisk) (step.Change, error) {
	namespace, version, err := s.operator(olm.DataFoundation()).Installed(ctx, c)
	if err != nil {
		return "", err
	}
	class, err := diskSource(ctx, c)
	if err != nil {
		return "", err
	}
	disks, _ := disksOf(volumes, class, namespace)
	if disks == 0 {
		return "", fmt.Errorf("there are no free PersistentVolumes of class %s to build a StorageCluster on", class)
	}
	classes, err := storageClasses(ctx, c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	if hasStorageSystems(version) {
		change, err = c.Apply(ctx, newStorageSystem(namespace))
		if err != nil {
			return "", err
		}
	}
	cluster := newStorageCluster(namespace, class, disks)
	if marksDefaultClass(version) && s.wantsDefault(classes) {
		setDefaultClass(cluster)
	}
	created, err := c.Apply(ctx, cluster)
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

// removal takes long: Ceph waits until nothing claims its volumes, and wipes its disks.
func (s storageCluster) removal() prereq.Removal {
	cluster := removal.Object{Kind: kube.StorageCluster, Name: storageClusterName,
		Blocked: claims{}.ofStorageCluster, Before: cephRemoval{}.before, Loss: allData}
	out := cluster.Removal(removeStorageCluster, "storage cluster", removeDefaultMark)
	out.Timeout = 40 * time.Minute
	return out
}

// cephRemoval tells Data Foundation how to go, by its documented annotations.
type cephRemoval struct{}

// before asks for the graceful mode, which waits until nothing claims its volumes, and for disks to be wiped; and it
// removes the StorageSystem, which versions up to 4.18 have beside the StorageCluster.
func (s cephRemoval) before(ctx context.Context, c *kube.Client, sc *unstructured.Unstructured) (step.Change, error) {
	change, err := prereq.MergePatch(ctx, c, sc.DeepCopy(),
		`{"metadata":{"annotations":{"uninstall.ocs.openshift.io/mode":"graceful",`+
			`"uninstall.ocs.openshift.io/cleanup-policy":"delete"}}}`)
	if err != nil {
		return "", err
	}
	system := removal.Object{Kind: kube.StorageSystem, Name: storageSystemName}
	if own, _, err := system.Find(ctx, c); err != nil || own == nil || own.GetDeletionTimestamp() != nil {
		return change, err
	}
	removed, err := system.Apply(ctx, c)
	return step.Join(change, removed), err
}

// writeStorageCluster is the right to write the StorageCluster that hcctl makes.
func writeStorageCluster() rule.Rule {
	return rule.Rule{Verbs: "get create patch", Resources: "storageclusters.ocs.openshift.io", Names: storageClusterName,
		Features: []rule.Feature{rule.DataFoundation}, Why: "Data Foundation"}
}

func storageClusterRights() prereq.Rights {
	foundation := []rule.Feature{rule.DataFoundation}
	const clusters, systems = "storageclusters.ocs.openshift.io", "storagesystems.odf.openshift.io"
	return prereq.Rights{
		Check: append(planRights(), listVolumes()...),
		Apply: []rule.Rule{
			writeStorageCluster(),
			{Verbs: "get create patch", Resources: systems, Names: storageSystemName, Features: foundation,
				Why: "Data Foundation before 4.19"},
		},
		Remove: []rule.Rule{
			{Verbs: "get patch delete", Resources: clusters, Names: storageClusterName, Features: foundation,
				Why: "--include-storage: Data Foundation"},
			{Verbs: "get delete", Resources: systems, Names: storageSystemName, Features: foundation,
				Why: "Data Foundation before 4.19"},
		},
	}
}
