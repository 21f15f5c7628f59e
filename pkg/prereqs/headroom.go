package prereqs

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Resources is a quantity of what limits hosted clusters on nodes.
type Resources struct {
	// MilliCPU is in thousandths of a core, Memory in bytes.
	MilliCPU int64 `json:"milliCPU"`
	Memory   int64 `json:"memoryBytes"`
	Pods     int64 `json:"pods"`
}

func (r Resources) amount() amount { return amount{r.MilliCPU, r.Memory, r.Pods} }

func resourcesOf(a amount) Resources { return Resources{a.cpu, a.memory, a.pods} }

// Plus is the sum of both.
func (r Resources) Plus(o Resources) Resources { return resourcesOf(r.amount().plus(o.amount())) }

// Minus is what is left of r, which may be less than nothing.
func (r Resources) Minus(o Resources) Resources { return resourcesOf(r.amount().minus(o.amount())) }

// Most has the greater of each.
func (r Resources) Most(o Resources) Resources { return resourcesOf(most(r.amount(), o.amount())) }

// String is for a person: "CPU 5.0, memory 18Gi, 75 pods".
func (r Resources) String() string {
	return fmt.Sprintf("CPU %s, memory %s and %d pods", cores(r.MilliCPU), gibs(r.Memory), r.Pods)
}

// Requests is what a pod makes the scheduler set aside: its containers, init containers and overhead, or what it requests as a whole.
func Requests(pod *corev1.Pod) Resources { return resourcesOf(requestsOf(pod)) }

// Allocatable is what a node offers to pods.
func Allocatable(n *corev1.Node) Resources {
	has := requested(n.Status.Allocatable)
	has.pods = n.Status.Allocatable.Pods().Value()
	return resourcesOf(has)
}

// Hosts tells whether control planes and workers of hosted clusters may run on the node: a worker that is ready and takes pods.
func Hosts(n *corev1.Node) bool { return isWorker(n) && takesPods(n) && nodeReady(n) }

// Ready is the node's condition of that name.
func Ready(n *corev1.Node) bool { return nodeReady(n) }

// Room is what one node has and what its pods request of it.
type Room struct {
	Node      string
	Has, Used Resources
}

// Fitting is how many hosted clusters fit into the rooms by what they request (plane for the control plane, machines for the workers), each of the copies of
// a control plane on another node, and what runs out first: CPU, memory, pods or nodes.
func Fitting(rooms []Room, plane, machines Resources, copies int64) (n int64, scarcest string) {
	own := make([]room, len(rooms))
	for i, r := range rooms {
		own[i] = room{node: r.Node, has: r.Has.amount(), used: r.Used.amount()}
	}
	return fitting(own, plane.amount(), machines.amount(), copies)
}

// Requested is what one cluster requests by the sizing guidance that the check of capacity goes by (docs/scale.md), in how many copies its control
// plane runs. Workers that run elsewhere request nothing here.
func (w Wanted) Requested() (plane, machines Resources, copies int64) {
	p, copies := w.plane()
	if w.Elsewhere {
		return resourcesOf(p), Resources{}, copies
	}
	return resourcesOf(p), resourcesOf(w.machines()), copies
}

// MostClusters is how many hosted clusters the hypershift addon counts this management cluster full at.
func MostClusters(ctx context.Context, c *kube.Client) (int64, error) { return mostClusters(ctx, c) }
