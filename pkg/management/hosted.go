package management

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Hosted lists the hosted clusters of all namespaces. The list is empty if HyperShift is not installed.
func Hosted(ctx context.Context, r kube.Reader) List[hyperv1.HostedCluster] {
	l := Pages(ctx, r, &hyperv1.HostedClusterList{},
		func(l *hyperv1.HostedClusterList) []hyperv1.HostedCluster { return l.Items })
	if kube.IsKindMissing(l.Err) {
		l.Err = nil
	}
	return l
}

// Planes maps namespaces of control planes to their hosted clusters.
func Planes(hosted []hyperv1.HostedCluster) map[string]*hyperv1.HostedCluster {
	planes := map[string]*hyperv1.HostedCluster{}
	for i := range hosted {
		hc := &hosted[i]
		planes[hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)] = hc
	}
	return planes
}

// SingleReplica reports whether the control plane has one replica of everything.
func SingleReplica(hc *hyperv1.HostedCluster) bool {
	return hc.Spec.ControllerAvailabilityPolicy == hyperv1.SingleReplica
}
