package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The steps about storage, in the order of reports.
const (
	LocalStorageOperator step.ID = "storage/local-storage-operator"
	DataFoundation       step.ID = "storage/data-foundation-operator"
	LocalVolumes         step.ID = "storage/local-volumes"
	StorageCluster       step.ID = "storage/cluster"
	DefaultClass         step.ID = "storage/default-class"
	SingleDefaultClass   step.ID = "storage/single-default-class"
)

func storageSteps(c *kube.Client, o Options) []step.Step {
	return []step.Step{
		localStorageOperator{c, o.Operators}.step(),
		dataFoundation{c, o.Operators}.step(),
		localVolumes{c}.step(),
		storageCluster{c}.step(),
		defaultClass{c}.step(),
		singleDefaultClass{c}.step(),
	}
}
