package storage

import (
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Prerequisites returns the prerequisites of storage, in the order of reports.
func Prerequisites(o Validated, pins olm.Pins) []prereq.Prerequisite {
	s := common{o, pins}
	return []prereq.Prerequisite{
		localStorageOperator{s}.prerequisite(),
		dataFoundation{s}.prerequisite(),
		localVolumes{s}.prerequisite(),
		storageCluster{s}.prerequisite(),
		lvmOperator{s}.prerequisite(),
		lvmCluster{s}.prerequisite(),
		hostPath{s}.prerequisite(),
		defaultClass{s}.prerequisite(),
		singleDefaultClass{s}.prerequisite(),
		classProvisioner{s}.prerequisite(),
		bindingMode{s}.prerequisite(),
		volumeProfile{s}.prerequisite(),
		liveMigration{s}.prerequisite(),
		snapshotClass{s}.prerequisite(),
		etcdStorage{s}.prerequisite(),
	}
}
