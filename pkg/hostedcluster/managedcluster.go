package hostedcluster

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// What the hypershift addon writes on the ManagedClusters it imports by itself.
const (
	deployModeAnnotation = "import.open-cluster-management.io/klusterlet-deploy-mode"
	createdViaAnnotation = "open-cluster-management/created-via"
)

// autoImported tells whether the hypershift addon made the ManagedCluster for a hosted cluster of its name. One that a person
// made is theirs to detach.
func autoImported(mc *clusterv1.ManagedCluster) bool {
	return mc.Annotations[deployModeAnnotation] == "Hosted" && mc.Annotations[createdViaAnnotation] == "hypershift"
}

// managedCluster returns the ManagedCluster the hypershift addon made for this cluster, or nil if there is none.
//
// The addon names it after the HostedCluster alone, without its namespace. Since MCE 2.7 it copies the HostedCluster's labels, so that
// the infraID tells whose it is; before, it is taken for ours only where no other HostedCluster has the name.
func (d *Deletion) managedCluster(ctx context.Context) (*clusterv1.ManagedCluster, error) {
	mc := &clusterv1.ManagedCluster{}
	err := d.client.Get(ctx, client.ObjectKey{Name: d.Name}, mc)
	if apierrors.IsNotFound(err) || err == nil && !autoImported(mc) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if id := mc.Labels[infraLabel]; id != "" && d.InfraID != "" {
		if id != d.InfraID {
			return nil, nil
		}
		return mc, nil
	}
	var namesakes hyperv1.HostedClusterList
	err = d.client.List(ctx, &namesakes, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", d.Name)})
	if err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	for i := range namesakes.Items {
		if namesakes.Items[i].Namespace != d.Namespace {
			return nil, nil
		}
	}
	return mc, nil
}
