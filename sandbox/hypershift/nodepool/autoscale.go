package nodepool

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/utils/ptr"
)

// desired is how many machines the pool is to have. The operator leaves the size of an autoscaled pool to the
// autoscaler and only moves it into its limits; the sandbox has no load, so there it stays.
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

// size is how many machines an autoscaled pool had last; of one that just became autoscaled, or whose operator has
// restarted, how many there are. Machines of an older template are counted only as far as new ones do not stand in for
// them.
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

// minimum is the lower end of an autoscaled pool.
func minimum(a *hyperv1.NodePoolAutoScaling) int32 { return a.Min }
