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
	// WorkerLabel is on every node with the role of a worker.
	WorkerLabel = "node-role.kubernetes.io/worker"
	// StorageTaint keeps all but OpenShift Data Foundation away; it tolerates it by itself.
	StorageTaint = "node.ocs.openshift.io/storage"
)

// AllNodes lists every node: one list serves all steps that look at nodes.
func AllNodes(ctx context.Context, r kube.Reader) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Workers lists the nodes with the worker role, control plane nodes that are also workers included.
func Workers(ctx context.Context, r kube.Reader) ([]corev1.Node, error) {
	nodes, err := AllNodes(ctx, r)
	return slices.DeleteFunc(nodes, func(n corev1.Node) bool { return !IsWorker(&n) }), err
}

// IsWorker reports whether a node has the role of a worker.
func IsWorker(n *corev1.Node) bool {
	_, ok := n.Labels[WorkerLabel]
	return ok
}

// IsControlPlane knows both names of the role: OpenShift before 4.12 had only the first.
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
	// The node lifecycle's own taints say what the Ready condition says, in other words.
	kind := fit.Node{Node: n}.Refuses(AnyPod()).Kind
	return kind == fit.Takes || kind == fit.NotReady
}

// AnyPod is a pod that tolerates storage nodes and needs nothing.
func AnyPod() fit.Pod {
	return fit.Pod{Tolerations: []corev1.Toleration{{Key: StorageTaint, Operator: corev1.TolerationOpExists}}}
}

// Hosts reports whether control planes and workers of hosted clusters may run on the node: a worker that is ready and
// takes pods.
func Hosts(n *corev1.Node) bool { return IsWorker(n) && TakesPods(n) && health.NodeReady(n) }
