package capacity

import "github.com/hcctl/hcctl/pkg/kube/fit"

// Demand is what hosted clusters that are about to be created request, all of them alike.
type Demand struct {
	// Clusters is how many there are to be; zero means one.
	Clusters int64
	// Workers is how many virtual machines each has.
	Workers int64
	// Plane and Machines are what the control plane and the workers of one cluster request.
	Plane, Machines Resources
	// Copies is on how many nodes a control plane runs.
	Copies int64
}

// ControlPlane is what one control plane requests, and in how many copies it runs.
func ControlPlane(highlyAvailable bool) (requests Resources, copies int64) {
	all, copies := fit.ControlPlane(highlyAvailable)
	return from(all), copies
}

// HighlyAvailable is what the control plane of a highly available hosted cluster requests.
func HighlyAvailable() Resources {
	requests, _ := ControlPlane(true)
	return requests
}

// SingleReplica is what a control plane without copies requests.
func SingleReplica() Resources {
	requests, _ := ControlPlane(false)
	return requests
}

// Workers of a hosted cluster are virtual machines, each one pod on the management cluster.
const (
	// UsualWorkers, UsualCores and UsualMemory are the defaults of hcctl create cluster: machines, cores and bytes of
	// each.
	UsualWorkers = 2
	UsualCores   = 2
	UsualMemory  = 8 * GiB
	// machineOverhead is what KubeVirt adds to a machine of that size for its own processes and page tables, roughly.
	machineOverhead = GiB * 3 / 10
	// coresForOne is how many virtual cores share one requested core: HyperConverged's vmiCPUAllocationRatio, 10 unless
	// changed.
	coresForOne = 10
)

// Machines is what workers request that have so many cores and bytes of memory in all.
func Machines(workers, cores, memory int64) Resources {
	return Resources{MilliCPU: cores * 1000 / coresForOne, Memory: memory + workers*machineOverhead, Pods: workers}
}

// UsualMachines is what the workers of a hosted cluster request that was created with hcctl's defaults.
func UsualMachines() Resources {
	return Machines(UsualWorkers, UsualWorkers*UsualCores, UsualWorkers*UsualMemory)
}
