package follow

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// machinesReady skips clusters whose machines hcctl does not judge.
func (f *Cluster) machinesReady(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	if why := hostedcluster.PlatformOf(hc).NotJudged(); why != "" {
		return step.OK("%s", why).On("HostedCluster %s", f.key())
	}
	var vms kubevirtv1.VirtualMachineList
	namespace := hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)
	if err := r.List(ctx, &vms, client.InNamespace(namespace)); err != nil {
		return kube.Unknown(err).On("VirtualMachines in namespace %s", namespace)
	}
	return f.checkPools(ctx, r, "worker VMs ready", func(np *hyperv1.NodePool) (step.Finding, int) {
		ready, _, _ := machinesOf(np, vms.Items)
		return Machines(np, vms.Items), ready
	})
}

func (f *Cluster) nodesReady(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	if p := hostedcluster.PlatformOf(hc); !p.MakesNodes() {
		return step.OK("%s", p.NotJudged()).On("HostedCluster %s", f.key())
	}
	return f.checkPools(ctx, r, "nodes joined and ready", func(np *hyperv1.NodePool) (step.Finding, int) {
		return Nodes(np), int(np.Status.Replicas)
	})
}

// checkPools returns the finding for the first pool that is not ready. For several pools it adds the count over all of
// them.
func (f *Cluster) checkPools(ctx context.Context, r kube.Reader, what string,
	judge func(*hyperv1.NodePool) (step.Finding, int)) step.Finding {
	pools, unread := f.pools(ctx, r)
	if unread != nil {
		return *unread
	}
	have, want := 0, 0
	var notReady *step.Finding
	last := step.OK("there are no NodePools").On("HostedCluster %s", f.key())
	for _, np := range pools {
		if found, over := conditions.OfPool(np).Terminal(); over {
			return found
		}
		found, n := judge(np)
		have, want = have+min(n, hostedcluster.SizeOf(np).Min), want+hostedcluster.SizeOf(np).Min
		if last = found; found.State != step.StateOK && notReady == nil {
			notReady = &found
		}
	}
	switch {
	case notReady != nil && len(pools) > 1:
		notReady.Message = fmt.Sprintf("%d of %d %s in all; %s", have, want, what, notReady.Message)
		return *notReady
	case notReady != nil:
		return *notReady
	case len(pools) > 1:
		return step.OK("%d of %d %s in %d NodePools", have, want, what, len(pools)).On("HostedCluster %s", f.key())
	}
	return last
}

// pools reads the NodePools to wait for. A missing one is a finding.
func (f *Cluster) pools(ctx context.Context, r kube.Reader) ([]*hyperv1.NodePool, *step.Finding) {
	var all hyperv1.NodePoolList
	if err := r.List(ctx, &all, client.InNamespace(f.Namespace), hostedcluster.PoolsOf(f.Name)); err != nil {
		unread := kube.Unknown(err).On("NodePools in namespace %s", f.Namespace)
		return nil, &unread
	}
	var pools []*hyperv1.NodePool
	for i := range all.Items {
		if np := &all.Items[i]; f.Pools == nil || slices.Contains(f.Pools, np.Name) {
			pools = append(pools, np)
		}
	}
	for _, name := range f.Pools {
		if !slices.ContainsFunc(pools, func(np *hyperv1.NodePool) bool { return np.Name == name }) {
			gone := step.Broken("deleted while hcctl waited for it").On("NodePool %s/%s", f.Namespace, name)
			return nil, &gone
		}
	}
	return pools, nil
}
