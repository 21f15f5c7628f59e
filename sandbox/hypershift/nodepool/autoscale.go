package nodepool

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/utils/ptr"
)

// desired returns the desired number of machines. The operator only moves an autoscaled pool into its limits; the
// autoscaler does the rest, and a sandbox has no load.
func (p *pool) desired() int {
	if p.np.Spec.AutoScaling == nil {
		p.sizes.Delete(p.key())
		return int(ptr.Deref(p.np.Spec.Replicas, 0))
	}
	a := p.np.Spec.AutoScaling
	n := min(max(p.size(), int(minimum(a))), int(a.Max))
	p.sizes.Store(p.key(), n)
	return n
}

// size returns the last size of an autoscaled pool, or the current number of machines of a new one. Machines of an
// older template count only until new ones replace them.
func (p *pool) size() int {
	if n, ok := p.sizes.Load(p.key()); ok {
		if n, ok := n.(int); ok {
			return n
		}
	}
	byHash := map[string]int{}
	for i := range p.machines {
		if !p.machines[i].leaving() {
			byHash[p.machines[i].vm.Labels[machineHashLabel]]++
		}
	}
	most := 0
	for _, n := range byHash {
		most = max(most, n)
	}
	return most
}

// minimum returns the lower limit of an autoscaled pool.
func minimum(a *hyperv1.NodePoolAutoScaling) int32 { return a.Min }
