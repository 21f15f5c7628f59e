package status

import (
	"context"
	"slices"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

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
	cluster, pools := r.HostedCluster.only(rootConditions()), r.NodePools.pools(rootConditions())
	all := []*Part{&cluster, &pools, &r.ControlPlane, &r.Machines, &r.Nodes, &r.NodePools, &r.Operators, &r.HostedCluster}
	if r.Services.Kind != "" {
		all = append(all, &r.Services)
	}
	return all
}

// rootConditions are those that report a cause, not what follows from pods, VMs, nodes or operators: what was asked for
// is wrong or not possible, or something outside of the control plane is missing.
func rootConditions() []string {
	return []string{
		string(hyperv1.ValidHostedClusterConfiguration), string(hyperv1.SupportedHostedCluster),
		string(hyperv1.ValidReleaseImage), string(hyperv1.ValidReleaseInfo), string(hyperv1.PlatformCredentialsFound),
		string(hyperv1.ReconciliationActive), string(hyperv1.ReconciliationSucceeded),
		string(hyperv1.ValidHostedControlPlaneConfiguration), string(hyperv1.InfrastructureReady),
		string(hyperv1.UnmanagedEtcdAvailable), string(hyperv1.ExternalDNSReachable),
		string(hyperv1.ClusterVersionReleaseAccepted),
		hyperv1.NodePoolValidReleaseImageConditionType, hyperv1.NodePoolValidMachineConfigConditionType,
		hyperv1.NodePoolValidMachineTemplateConditionType, hyperv1.NodePoolValidArchPlatform,
		hyperv1.NodePoolValidPlatformConfigConditionType, hyperv1.NodePoolValidTuningConfigConditionType,
		hyperv1.NodePoolReconciliationActiveConditionType, hyperv1.NodePoolReachedIgnitionEndpoint,
	}
}

// only is the part with those conditions alone. Without conditions, what it says itself is a cause.
func (p *Part) only(conditions []string) Part {
	if len(p.Parts) == 0 {
		return *p
	}
	out := Part{Kind: p.Kind, Name: p.Name, Health: OK}
	for _, sub := range p.Parts {
		if sub.Kind != conditionKind || slices.Contains(conditions, sub.Name) {
			out.add(sub)
		}
	}
	return out
}

// pools are the NodePools with those conditions alone.
func (p *Part) pools(conditions []string) Part {
	out := Part{Kind: p.Kind, Health: OK}
	for i := range p.Parts {
		if len(p.Parts[i].Parts) > 0 {
			out.add(p.Parts[i].only(conditions))
		}
	}
	return out
}

// mostDetails is how many failing clusters of a list are looked at in detail.
const mostDetails = 10

// detail looks at the first failing clusters as Of does, so that a list and the status of one cluster name the same
// cause. A cluster that cannot be looked at keeps what its HostedCluster says.
func detail(ctx context.Context, r kube.Reader, fleet []*Report) {
	var wg sync.WaitGroup
	n := 0
	for _, one := range fleet {
		if one.Health != Failing && one.Phase != Deleting || n == mostDetails {
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
