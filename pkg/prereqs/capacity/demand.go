package capacity

import "github.com/hcctl/hcctl/pkg/kube/fit"

// Demand is the resource request of hosted clusters that are about to be created, all of them equal.
type Demand struct {
	// Clusters is their number; zero means one.
	Clusters int64
	// Workers is the number of virtual machines of each.
	Workers int64
	// Plane and Machines are the requests of the control plane and of the workers of one cluster.
	Plane, Machines Resources
	// Copies is the number of nodes that a control plane runs on.
	Copies int64
}

// ControlPlane returns the requests of one control plane, and its number of replicas.
func ControlPlane(highlyAvailable bool) (requests Resources, copies int64) {
	all, copies := fit.ControlPlane(highlyAvailable)
	return from(all), copies
}

// HighlyAvailable returns the requests of a highly available control plane.
func HighlyAvailable() Resources {
	requests, _ := ControlPlane(true)
	return requests
}

// SingleReplica returns the requests of a control plane with a single replica.
func SingleReplica() Resources {
	requests, _ := ControlPlane(false)
	return requests
}

// Workers of a hosted cluster are virtual machines, each one pod on the management cluster.
const (
	// UsualWorkers, UsualCores and UsualMemory are the defaults of hcctl create cluster: the number of machines, and the
	// cores and bytes of each.
	UsualWorkers = 2
	UsualCores   = 2
	UsualMemory  = 8 * GiB
	// machineOverhead is roughly what KubeVirt adds to a machine of that size for its processes and page tables.
	machineOverhead = GiB * 3 / 10
	// coresForOne is the number of virtual cores per requested core: HyperConverged's vmiCPUAllocationRatio, 10 by
	// default.
	coresForOne = 10
)

// Machines returns the requests of workers with these numbers of cores and bytes of memory in total.
func Machines(workers, cores, memory int64) Resources {
	return Resources{MilliCPU: cores * 1000 / coresForOne, Memory: memory + workers*machineOverhead, Pods: workers}
}

// UsualMachines returns the requests of the workers of a hosted cluster with hcctl's defaults.
func UsualMachines() Resources {
	return Machines(UsualWorkers, UsualWorkers*UsualCores, UsualWorkers*UsualMemory)
}
