package prereq

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

const (
	// WorkerLabel marks every node with the worker role.
	WorkerLabel = "node-role.kubernetes.io/worker"
	// StorageTaint reserves a node for OpenShift Data Foundation, which tolerates the taint.
	StorageTaint = "node.ocs.openshift.io/storage"
)

// AllNodes lists every node. All steps share one list.
func AllNodes(ctx context.Context, r kube.Reader) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Workers lists the nodes with the worker role, including control plane nodes that have it too.
func Workers(ctx context.Context, r kube.Reader) ([]corev1.Node, error) {
	nodes, err := AllNodes(ctx, r)
	return slices.DeleteFunc(nodes, func(n corev1.Node) bool { return !IsWorker(&n) }), err
}

// IsWorker reports whether a node has the worker role.
func IsWorker(n *corev1.Node) bool {
	_, ok := n.Labels[WorkerLabel]
	return ok
}

// IsControlPlane reports whether a node has the control plane role under either name. OpenShift before 4.12 has only
// master.
func IsControlPlane(n *corev1.Node) bool {
	_, master := n.Labels["node-role.kubernetes.io/master"]
	_, controlPlane := n.Labels["node-role.kubernetes.io/control-plane"]
	return master || controlPlane
}

// TakesPods reports whether the scheduler may put a pod without tolerations on the node.
func TakesPods(n *corev1.Node) bool {
	if n.DeletionTimestamp != nil {
		return false
	}
	// The taints of the node lifecycle repeat the Ready condition.
	kind := fit.Node{Node: n}.Refuses(AnyPod()).Kind
	return kind == fit.Takes || kind == fit.NotReady
}

// AnyPod returns a pod without requirements that tolerates storage nodes.
func AnyPod() fit.Pod {
	return fit.Pod{Tolerations: []corev1.Toleration{{Key: StorageTaint, Operator: corev1.TolerationOpExists}}}
}

// Hosts reports whether control planes and workers of hosted clusters may run on the node: a ready worker that takes
// pods.
func Hosts(n *corev1.Node) bool { return IsWorker(n) && TakesPods(n) && health.NodeReady(n) }
