package prereqs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	workerLabel = "node-role.kubernetes.io/worker"
	// storageTaint keeps all but OpenShift Data Foundation away; it tolerates it by itself.
	storageTaint = "node.ocs.openshift.io/storage"
	// leastWorkers is what HyperShift's operator and a replicated storage cluster need.
	leastWorkers = 3
)

// clusterNodes: enough workers that take pods.
type clusterNodes struct{ c *kube.Client }

func (s clusterNodes) step() step.Step {
	return step.Step{ID: ClusterNodes, Title: "worker nodes", Check: s.check, Timeout: 10 * time.Minute}
}

func (s clusterNodes) check(ctx context.Context) step.Finding {
	nodes, err := allNodes(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("Nodes")
	}
	return judgeWorkers(nodes)
}

// judgeWorkers takes all nodes: those of the control plane decide what to advise.
func judgeWorkers(nodes []corev1.Node) step.Finding {
	ready, unready, closed, masters := 0, []string{}, []string{}, 0
	for i := range nodes {
		switch n := &nodes[i]; {
		case !isWorker(n):
			if isControlPlane(n) && nodeReady(n) {
				masters++
			}
		case !takesPods(n):
			closed = append(closed, n.Name)
		case !nodeReady(n):
			unready = append(unready, n.Name)
		default:
			ready++
		}
	}
	switch {
	case ready >= leastWorkers:
		return step.Okay("%d workers are ready", ready).On("Nodes")
	case ready+len(unready) >= leastWorkers:
		return step.Waiting("%d of the %d needed workers are ready; not ready: %s", ready, leastWorkers, strings.Join(unready, ", ")).On("Nodes").
			WithHint("oc describe node %s", unready[0])
	}
	f := step.NotThere("%s can be scheduled on, %d are needed", countWorkers(ready+len(unready)), leastWorkers).On("Nodes")
	switch {
	case len(closed) > 0:
		f.Message += fmt.Sprintf("; these workers take no pods (cordoned or tainted): %s", strings.Join(closed, ", "))
		return f.WithHint("oc adm uncordon %s, or remove the taint", closed[0])
	case ready+len(unready)+masters >= leastWorkers:
		return f.WithHint(`add workers, or let the %d control plane nodes take work: oc patch schedulers.config.openshift.io cluster --type=merge -p '{"spec":{"mastersSchedulable":true}}'`, masters)
	}
	return f.WithHint("add workers")
}

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
