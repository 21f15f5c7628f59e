package status

import (
	"context"
	"sync"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
)

// causes are the parts in the order in which root causes stand before what follows from them. What fails in the control
// plane and its VMs is behind most conditions; a few conditions are causes of their own. What is only under way is told
// best by the conditions.
func (r *Report) causes() []*Part {
	if len(r.Nodes.Parts) > 0 && r.Nodes.Parts[0].Kind == networkKind {
		return append([]*Part{&r.Nodes}, r.parts()...) // all else waits for it
	}
	if r.Health != Failing || r.Phase == Deleting {
		return r.parts()
	}
	cluster, pools := r.HostedCluster.roots(), r.NodePools.poolRoots()
	all := []*Part{&cluster, &pools, &r.ControlPlane, &r.Machines, &r.Nodes, &r.NodePools, &r.Operators, &r.HostedCluster}
	if r.Services.Kind != "" {
		all = append(all, &r.Services)
	}
	if r.Expiry.Kind != "" {
		// What has ended stays so until somebody renews it, and other parts may fail by it.
		all = append([]*Part{&r.Expiry}, all...)
	}
	return all
}

// roots is the part with the conditions alone that report a cause. Without conditions, what it says itself is a cause.
func (p *Part) roots() Part {
	if len(p.Parts) == 0 {
		return *p
	}
	out := Part{Kind: p.Kind, Name: p.Name, Health: OK}
	for _, sub := range p.Parts {
		row := conditions.Find(p.Kind, sub.Name)
		if sub.Kind != conditionKind || row != nil && row.Root {
			out.add(sub)
		}
	}
	return out
}

// poolRoots are the NodePools with those conditions alone.
func (p *Part) poolRoots() Part {
	out := Part{Kind: p.Kind, Health: OK}
	for i := range p.Parts {
		if len(p.Parts[i].Parts) > 0 {
			out.add(p.Parts[i].roots())
		}
	}
	return out
}

// maxDetails is how many failing clusters of a list are looked at in detail.
const maxDetails = 10

// detail looks at the first failing clusters as Of does, so that a list and the status of one cluster name the same
// cause. A cluster that cannot be looked at keeps what its HostedCluster says.
func detail(ctx context.Context, r kube.Reader, fleet []*Report) {
	var wg sync.WaitGroup
	n := 0
	for _, one := range fleet {
		if one.Health != Failing && one.Phase != Deleting || n == maxDetails {
			continue
		}
		n++
		wg.Go(func() {
			whole, err := Of(ctx, r, one.Namespace, one.Name)
			if err == nil && (whole.Health == one.Health || one.Phase == Deleting) {
				one.Health, one.Message = whole.Health, whole.Message
			}
		})
	}
	wg.Wait()
}
