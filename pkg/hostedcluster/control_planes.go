package hostedcluster

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// OwnerAnnotation is on HostedControlPlanes and on Cluster API's Clusters. Its value is the HostedCluster,
// "namespace/name".
const OwnerAnnotation = "hypershift.openshift.io/cluster"

// ControlPlanesIn finds the HostedControlPlane of a hosted cluster in its namespace; own is nil if it does not exist.
// foreign describes a HostedControlPlane of another cluster, empty if there is none: clusters/a-b and clusters-a/b
// share one namespace.
func ControlPlanesIn(ctx context.Context, r kube.Reader, namespace string, cluster types.NamespacedName) (
	own *hyperv1.HostedControlPlane, foreign string, err error) {
	var planes hyperv1.HostedControlPlaneList
	if err := r.List(ctx, &planes, client.InNamespace(namespace)); err != nil && !kube.IsKindMissing(err) {
		return nil, "", fmt.Errorf("list HostedControlPlanes in namespace %s: %w", namespace, err)
	}
	for i := range planes.Items {
		switch of := planes.Items[i].Annotations[OwnerAnnotation]; {
		case of == cluster.String(), of == "" && planes.Items[i].Name == cluster.Name:
			own = &planes.Items[i]
		case of == "":
			foreign = "named " + planes.Items[i].Name
		default:
			foreign = fmt.Sprintf("%q", of)
		}
	}
	return own, foreign, nil
}
