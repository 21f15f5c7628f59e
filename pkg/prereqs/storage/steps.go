package storage

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about storage, in the order of reports.
const (
	LocalStorageOperator step.ID = "storage/local-storage-operator"
	DataFoundation       step.ID = "storage/data-foundation-operator"
	LocalVolumes         step.ID = "storage/local-volumes"
	Cluster              step.ID = "storage/cluster"
	LVMOperator          step.ID = "storage/lvm-operator"
	LVMCluster           step.ID = "storage/lvm-cluster"
	DefaultClass         step.ID = "storage/default-class"
	SingleDefaultClass   step.ID = "storage/single-default-class"
	BindingMode          step.ID = "storage/binding-mode"
	VolumeProfile        step.ID = "storage/volume-profile"
	LiveMigration        step.ID = "storage/live-migration"
	SnapshotClass        step.ID = "storage/snapshot-class"
	Etcd                 step.ID = "storage/etcd"
)

// Steps returns the prerequisites of storage, in the order of reports.
func Steps(c *kube.Client, o Options, pins olm.Pins) []step.Step {
	s := common{c, o, pins}
	return []step.Step{
		localStorageOperator{s}.step(),
		dataFoundation{s}.step(),
		localVolumes{s}.step(),
		storageCluster{s}.step(),
		lvmOperator{s}.step(),
		lvmCluster{s}.step(),
		defaultClass{s}.step(),
		singleDefaultClass{s}.step(),
		bindingMode{s}.step(),
		volumeProfile{s}.step(),
		liveMigration{s}.step(),
		snapshotClass{s}.step(),
		etcdStorage{s}.step(),
	}
}

// common is what every storage step works with.
type common struct {
	c    *kube.Client
	o    Options
	pins olm.Pins
}

// operator installs a row of the table of operators as pinned.
func (s common) operator(row olm.Operator) olm.Installer {
	return olm.NewInstaller(s.c, row.Pinned(s.pins))
}

// none is the finding of every storage step where storage is a person's own business; nil means it is not.
func (s common) none() *step.Finding {
	if s.o.Mode != ModeNone {
		return nil
	}
	f := step.Finding{State: step.StateSkipped, Message: "neither checked nor installed (--storage none)"}
	return &f
}
