package prereqs

import (
	"context"
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
)

// What limits how many hosted clusters there can be.
type (
	// Resources is a quantity of what limits hosted clusters on nodes.
	Resources = capacity.Resources
	// Room is what one node has and what its pods request of it.
	Room = capacity.Room
	// Addresses are those of the load balancer's pools, free and in all.
	Addresses = loadbalancer.Addresses
)

// Requests is what a pod makes the scheduler set aside.
func Requests(pod *corev1.Pod) Resources { return capacity.Requests(pod) }

// Allocatable is what a node offers to pods.
func Allocatable(n *corev1.Node) Resources { return capacity.Allocatable(n) }

// Fitting is how many hosted clusters fit on the nodes by what they request, and what runs out first: CPU, memory, pods
// or nodes. Each of the copies of a control plane runs on another node.
func Fitting(rooms []Room, plane, machines Resources, copies int64) (n int64, scarcest string) {
	return capacity.Fitting(rooms, plane, machines, copies)
}

// FreeAddresses counts the addresses that the next hosted clusters can get. Without MetalLB, or without an open pool,
// there are none.
func FreeAddresses(ctx context.Context, r kube.Reader) (Addresses, error) {
	return loadbalancer.CountFreeAddresses(ctx, r)
}

// Unwell are the cluster operators that are degraded or not available, each with what it says.
func Unwell(ctx context.Context, r kube.Reader) (map[string]string, error) {
	return cluster.Unwell(ctx, r)
}

// Hosts tells whether control planes and workers of hosted clusters may run on the node: a worker that is ready and
// takes pods.
func Hosts(n *corev1.Node) bool {
	return prereq.IsWorker(n) && prereq.TakesPods(n) && health.NodeReady(n)
}

// Ready is the node's condition of that name.
func Ready(n *corev1.Node) bool { return health.NodeReady(n) }

// MostClusters is how many hosted clusters the hypershift addon counts this management cluster full at.
func MostClusters(ctx context.Context, r kube.Reader) (int64, error) {
	return cluster.MostClusters(ctx, r)
}

// FreeRoom counts how many more hosted clusters of the usual size the management cluster has room for, as the checks of
// capacity and of free addresses do: with a highly available control plane, and with a single replica of it.
func FreeRoom(ctx context.Context, r kube.Reader) (highlyAvailable, singleReplica int64, err error) {
	if highlyAvailable, singleReplica, err = cluster.Fits(ctx, r); err != nil {
		return 0, 0, err
	}
	addresses, err := FreeAddresses(ctx, r)
	if err != nil {
		return 0, 0, fmt.Errorf("count the free addresses: %w", err)
	}
	// Without pools the addresses are not MetalLB's to give.
	if addresses.All > 0 {
		free := int64(min(addresses.Free, math.MaxInt64))
		highlyAvailable, singleReplica = min(highlyAvailable, free), min(singleReplica, free)
	}
	return highlyAvailable, singleReplica, nil
}
