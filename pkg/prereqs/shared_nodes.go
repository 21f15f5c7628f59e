package prereqs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

const (
	workerLabel = "node-role.kubernetes.io/worker"
	// storageTaint keeps all but OpenShift Data Foundation away; it tolerates it by itself.
	storageTaint = "node.ocs.openshift.io/storage"
)

// countWorkers is "1 worker", "2 workers".
func countWorkers(n int) string {
	if n == 1 {
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", n)
}

// allNodes lists every node: one list serves all steps that look at nodes.
func allNodes(ctx context.Context, c *kube.Client) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := c.List(ctx, list); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// workers lists the nodes with the worker role, control plane nodes that are also workers included.
func workers(ctx context.Context, c *kube.Client) ([]corev1.Node, error) {
	nodes, err := allNodes(ctx, c)
	return slices.DeleteFunc(nodes, func(n corev1.Node) bool { return !isWorker(&n) }), err
}

func isWorker(n *corev1.Node) bool {
	_, ok := n.Labels[workerLabel]
	return ok
}

// isControlPlane knows both names of the role: OpenShift before 4.12 had only the first.
func isControlPlane(n *corev1.Node) bool {
	_, master := n.Labels["node-role.kubernetes.io/master"]
	_, controlPlane := n.Labels["node-role.kubernetes.io/control-plane"]
	return master || controlPlane
}

func takesPods(n *corev1.Node) bool {
	if n.Spec.Unschedulable {
		return false
	}
	for _, t := range n.Spec.Taints {
		// The node lifecycle's own taints say what the Ready condition says, in other words.
		own := strings.HasPrefix(t.Key, "node.kubernetes.io/")
		if t.Effect != corev1.TaintEffectPreferNoSchedule && t.Key != storageTaint && !own {
			return false
		}
	}
	return true
}

func nodeReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
