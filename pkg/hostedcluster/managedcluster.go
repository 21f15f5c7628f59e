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

// managedCluster returns the ManagedCluster the hypershift addon made for this cluster. Where there is one of its name that is not this
// cluster's, it says why; where there is none, both are empty.
//
// The addon names it after the HostedCluster alone, without its namespace. Since MCE 2.7 it copies the HostedCluster's labels, so that
// the infraID tells whose it is; before, it is taken for ours only where no other HostedCluster has the name.
func (d *Deletion) managedCluster(ctx context.Context) (mc *clusterv1.ManagedCluster, foreign string, err error) {
	mc = &clusterv1.ManagedCluster{}
	if err = d.client.Get(ctx, client.ObjectKey{Name: d.Name}, mc); err != nil {
		return nil, "", client.IgnoreNotFound(err)
	}
	if !autoImported(mc) {
		return nil, whose(mc), nil
	}
	if id := mc.Labels[InfraLabel]; id != "" && d.InfraID != "" {
		if id != d.InfraID {
			return nil, "it is that of another hosted cluster of this name, with infraID " + id, nil
		}
		return mc, "", nil
	}
	var namesakes hyperv1.HostedClusterList
	err = d.client.List(ctx, &namesakes, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", d.Name)})
	if err != nil && !kube.IsKindMissing(err) && !apierrors.IsNotFound(err) {
		return nil, "", err
	}
	for i := range namesakes.Items {
		if namesakes.Items[i].Namespace != d.Namespace {
			return nil, "it may be that of HostedCluster " + kube.Name(&namesakes.Items[i]), nil
		}
	}
	return mc, "", nil
}
