package kube

import (
	"context"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"
)

// HostedName has the fields of a hosted cluster that are kept where all clusters are counted.
type HostedName struct {
	types.NamespacedName
	Created time.Time
	// AwaitsAddress is set if its API server uses a load balancer that has no address yet.
	AwaitsAddress bool
	// Begins is set if it has never had an API server, HighlyAvailable if its control plane has three replicas.
	Begins, HighlyAvailable bool
	// VMPatch is the JSON patch of its worker VMs.
	VMPatch string
}

// HostedClusters lists all hosted clusters and keeps only the fields of HostedName. Caching readers share the list with
// callers that need the whole objects. The error for an unknown kind is IsKindMissing.
func HostedClusters(ctx context.Context, r Reader) ([]HostedName, error) {
	list := &hyperv1.HostedClusterList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	out := make([]HostedName, 0, len(list.Items))
	for i := range list.Items {
		hc := &list.Items[i]
		exists := hc.DeletionTimestamp == nil
		out = append(out, HostedName{types.NamespacedName{Namespace: hc.Namespace, Name: hc.Name}, hc.CreationTimestamp.Time,
			exists && usesLoadBalancer(hc) && hc.Status.ControlPlaneEndpoint.Host == "", exists && hc.Status.KubeConfig == nil,
			hc.Spec.ControllerAvailabilityPolicy != hyperv1.SingleReplica, hc.Annotations[hyperv1.JSONPatchAnnotation]})
	}
	return out, nil
}

// usesLoadBalancer reports whether the API server is published by a Service of type LoadBalancer.
func usesLoadBalancer(hc *hyperv1.HostedCluster) bool {
	for _, s := range hc.Spec.Services {
		if s.Service == hyperv1.APIServer {
			return s.Type == hyperv1.LoadBalancer
		}
	}
	return false
}
