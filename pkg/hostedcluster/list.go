package hostedcluster

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Clusters lists the hosted clusters of a namespace, or of all namespaces if it is empty. It fails with
// *NotInstalledError if HyperShift is not installed.
func Clusters(ctx context.Context, r kube.Reader, namespace string) ([]hyperv1.HostedCluster, error) {
	items := []hyperv1.HostedCluster{}
	err := eachHostedCluster(ctx, r, namespace, func(hc *hyperv1.HostedCluster) { items = append(items, *hc) })
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotInstalledError{}
	case err != nil:
		return nil, fmt.Errorf("list HostedClusters: %w", err)
	}
	return items, nil
}
