package hostedcluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// Pools lists the NodePools of a hosted cluster, sorted by name. It fails with the error of the list.
func Pools(ctx context.Context, r kube.Reader, namespace, cluster string) ([]hyperv1.NodePool, error) {
	var l hyperv1.NodePoolList
	if err := r.List(ctx, &l, client.InNamespace(namespace), PoolsOf(cluster)); err != nil {
		return nil, fmt.Errorf("list NodePools in namespace %s: %w", namespace, err)
	}
	slices.SortFunc(l.Items, func(a, b hyperv1.NodePool) int { return strings.Compare(a.Name, b.Name) })
	return l.Items, nil
}

// PoolsOf is a ListOption that selects the NodePools of one hosted cluster. Only their changes wake a watch.
func PoolsOf(cluster string) client.ListOption {
	return informer.FieldFilter{Field: "spec.clusterName", Value: cluster}
}

// PoolMachines lists the VMs of a NodePool's hosted cluster in its control plane namespace on the management cluster.
func PoolMachines(ctx context.Context, r kube.Reader, np *hyperv1.NodePool) ([]kubevirtv1.VirtualMachine, error) {
	var vms kubevirtv1.VirtualMachineList
	err := r.List(ctx, &vms, client.InNamespace(ControlPlaneNamespace(np.Namespace, np.Spec.ClusterName)))
	return vms.Items, err
}
