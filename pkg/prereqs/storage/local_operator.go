package storage

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	LocalStorageOperator step.ID = "storage/local-storage-operator"
	removeLocalOperator  step.ID = "uninstall/local-storage-operator"
)

// localStorageOperator installs the operator that discovers the nodes' disks and makes volumes of them for Data
// Foundation.
type localStorageOperator struct{ common }

func (s localStorageOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LocalStorageOperator, Title: "Local Storage Operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.operator(olm.LocalStorage()).Apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver, Replaces: olm.Replaces(),
		Rights: prereq.Rights{
			Check:  slices.Concat(planRights(), listSources(), olm.CheckRights()),
			Apply:  olm.ApplyRights(),
			Remove: olm.RemoveRights(olm.LocalStorage()),
		},
		Remove: []prereq.Removal{olm.NewRemoval(olm.LocalStorage(), kube.LocalVolumeSet, kube.LocalVolume,
			kube.LocalVolumeDiscovery).
			Removal(removeLocalOperator, removeLocalVolumes)},
	}
}

// check checks the operator if hcctl needs it for new volumes, or if an existing StorageCluster depends on it.
func (s localStorageOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	if s.unneeded(ctx, r, sourceLVM) == nil {
		return s.checkForLVM(ctx, r)
	}
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return *f
	}
	use, f := s.diskUse(ctx, r)
	switch {
	case f != nil:
		return *f
	case use.foreign() && !use.served():
		return use.leftAlone()
	}
	if f := s.impossible(ctx, r); f != nil {
		return *f
	}
	found := s.operator(olm.LocalStorage()).Check(ctx, r)
	if found.State == step.StateMissing && use.foreign() {
		return use.leftAlone()
	}
	return found
}

// checkForLVM checks the operator if it has to discover disks for LVM Storage. An existing LVMCluster does not need it,
// except to grow.
func (s localStorageOperator) checkForLVM(ctx context.Context, r kube.Reader) step.Finding {
	clusters, err := lvmClusters(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("LVMClusters")
	}
	if len(clusters) > 0 {
		if class, _ := growableClass(&clusters[0]); class == nil || !s.o.Grow {
			name := "LVMCluster " + kube.Name(&clusters[0])
			return step.OK("not needed: %s is there", name).On("%s", name)
		}
	}
	return s.operator(olm.LocalStorage()).Check(ctx, r)
}

func describeDevices(sc *unstructured.Unstructured) string {
	if classes := deviceClasses(sc); len(classes) > 0 {
		return "volumes of class " + strings.Join(classes, ", ")
	}
	return "Ceph outside the cluster"
}
