package prereqs

import (
	corev1 "k8s.io/api/core/v1"
)

const gib = int64(1) << 30

// amount is a quantity of what limits hosted clusters: millicores, bytes and pods.
type amount struct{ cpu, memory, pods int64 }

func (a amount) plus(b amount) amount {
	return amount{a.cpu + b.cpu, a.memory + b.memory, a.pods + b.pods}
}

func (a amount) minus(b amount) amount {
	return amount{a.cpu - b.cpu, a.memory - b.memory, a.pods - b.pods}
}

// holds is how often b fits in a, by its scarcest resource, and which that is.
func (a amount) holds(b amount) (n int64, scarcest string) {
	n, scarcest = max(a.cpu, 0)/b.cpu, "CPU"
	if m := max(a.memory, 0) / b.memory; m < n {
		n, scarcest = m, "memory"
	}
	if m := max(a.pods, 0) / b.pods; m < n {
		n, scarcest = m, "pods"
	}
	return n, scarcest
}

// highlyAvailable is what the control plane of a highly available hosted cluster requests: the baselines of Red Hat's sizing
// guidance and of the hypershift addon's own capacity metrics.
func highlyAvailable() amount { return amount{cpu: 5000, memory: 18 * gib, pods: 75} }

// singleReplica is a third of it. Guess: Red Hat gives the third for the pods only.
func singleReplica() amount { return amount{cpu: 1667, memory: 6 * gib, pods: 25} }

// Workers of a hosted cluster are virtual machines, each one pod on this cluster.
const (
	usualWorkers     = 2
	usualCores       = 2
	usualWorkerBytes = 8 * gib
	// machineOverhead is what KubeVirt adds to a machine of that size for its own processes and page tables, roughly.
	machineOverhead = gib * 3 / 10
	// coresForOne is how many virtual cores share one requested core: HyperConverged's vmiCPUAllocationRatio, 10 unless changed.
	coresForOne = 10
)

// guestWorkers is what the workers of a hosted cluster request that was created with hcctl's defaults.
func guestWorkers() amount {
	return amount{cpu: usualWorkers * usualCores * 1000 / coresForOne, memory: usualWorkers * (usualWorkerBytes + machineOverhead), pods: usualWorkers}
}

// room is what one node has left.
type room struct {
	node      string
	has, used amount
}

func (r room) free() amount { return r.has.minus(r.used) }

// fitting is how many hosted clusters fit whose workers request machines and whose control planes run in the given number of copies, each copy on another node.
// It is bounded by the sum of what is free, and by the copies' need of different nodes.
func fitting(rooms []room, plane, machines amount, copies int64) (n int64, scarcest string) {
	total := amount{}
	for _, r := range rooms {
		free := r.free()
		total = total.plus(amount{max(free.cpu, 0), max(free.memory, 0), max(free.pods, 0)})
	}
	n, scarcest = total.holds(plane.plus(machines))
	one := amount{plane.cpu / copies, plane.memory / copies, plane.pods / copies}
	for ; n > 0; n-- {
		spread := int64(0)
		for _, r := range rooms {
			places, _ := r.free().holds(one)
			spread += min(places, n)
		}
		if spread >= copies*n {
			break
		}
		scarcest = "nodes"
	}
	return n, scarcest
}

// requestsOf is what a pod makes the scheduler set aside: the sum of its containers and of the init containers that keep
// running, or what the greediest other init container needs at its turn, and the overhead of its runtime. Requests of the
// pod itself (Kubernetes 1.32 and later) go before those of its containers.
func requestsOf(pod *corev1.Pod) amount {
	var running, peak amount
	for _, c := range pod.Spec.InitContainers {
		own := requested(c.Resources.Requests)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			running = running.plus(own)
			own = amount{}
		}
		peak = most(peak, running.plus(own))
	}
	for _, c := range pod.Spec.Containers {
		running = running.plus(requested(c.Resources.Requests))
	}
	sum := most(running, peak)
	if r := pod.Spec.Resources; r != nil {
		if q, ok := r.Requests[corev1.ResourceCPU]; ok {
			sum.cpu = q.MilliValue()
		}
		if q, ok := r.Requests[corev1.ResourceMemory]; ok {
			sum.memory = q.Value()
		}
	}
	sum = sum.plus(requested(pod.Spec.Overhead))
	sum.pods = 1
	return sum
}

func requested(list corev1.ResourceList) amount {
	return amount{cpu: list.Cpu().MilliValue(), memory: list.Memory().Value()}
}

func most(a, b amount) amount {
	return amount{max(a.cpu, b.cpu), max(a.memory, b.memory), max(a.pods, b.pods)}
}
