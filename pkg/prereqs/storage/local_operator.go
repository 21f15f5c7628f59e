package storage

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	LocalStorageOperator step.ID = "storage/local-storage-operator"
	removeLocalOperator  step.ID = "uninstall/local-storage-operator"
)

// localStorageOperator installs the operator that makes volumes of the nodes' empty disks, for Data Foundation.
type localStorageOperator struct{ common }

func (s localStorageOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LocalStorageOperator, Title: "Local Storage Operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.operator(olm.LocalStorage()).Apply, Timeout: olm.Timeout,
		Rights: prereq.Rights{
			Check:  append(planRights(), olm.CheckRights()...),
			Apply:  olm.ApplyRights(),
			Remove: olm.RemoveRights(olm.LocalStorage()),
		},
		Remove: []prereq.Removal{olm.NewRemoval(olm.LocalStorage(), kube.LocalVolumeSet, kube.LocalVolumeDiscovery).
			Removal(removeLocalOperator, removeLocalVolumes)},
	}
}

func (s localStorageOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.disksUnneeded(ctx, r); f != nil {
		return *f
	}
	return s.operator(olm.LocalStorage()).Check(ctx, r)
}

// disksUnneeded tells whether hcctl leaves the disks alone: storage comes from elsewhere, or there is a StorageCluster
// on other volumes than the Local Storage Operator's class localblock. Nil means local volumes are wanted.
func (s common) disksUnneeded(ctx context.Context, r kube.Reader) *step.Finding {
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return f
	}
	clusters, err := storageClusters(ctx, r)
	if err != nil {
		return unread(err, "StorageClusters")
	}
	if len(clusters) == 0 {
		return nil
	}
	sc := activeStorageCluster(clusters)
	if slices.Contains(deviceClasses(sc), localClass) {
		return nil
	}
	f := step.OK("not needed: StorageCluster %s is there, on %s", kube.Name(sc), describeDevices(sc)).
		On("StorageCluster %s", kube.Name(sc))
	return &f
}

func describeDevices(sc *unstructured.Unstructured) string {
	if classes := deviceClasses(sc); len(classes) > 0 {
		return "volumes of class " + strings.Join(classes, ", ")
	}
	return "Ceph outside the cluster"
}
