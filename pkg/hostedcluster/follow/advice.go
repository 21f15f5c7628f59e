package follow

import (
	"context"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// adviceFinding is the last step: what the operators report although the cluster works.
func (f *Cluster) adviceFinding(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	advice := conditions.OfCluster(hc).Warnings()
	var pools hyperv1.NodePoolList
	if err := r.List(ctx, &pools, client.InNamespace(f.Namespace), hostedcluster.PoolsOf(f.Name),
		kube.FromCache{}); err != nil { // advice must not delay the end
		return kube.Unknown(err).On("NodePools in namespace %s", f.Namespace)
	}
	for i := range pools.Items {
		np := &pools.Items[i]
		for _, words := range conditions.OfPool(np).Warnings() {
			advice = append(advice, "NodePool "+np.Name+": "+words)
		}
	}
	if len(advice) > 0 {
		return step.Missing("%s", strings.Join(advice, "; ")).On("HostedCluster %s", f.key())
	}
	return step.OK("no advice").On("HostedCluster %s", f.key())
}
