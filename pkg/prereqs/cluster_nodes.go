package prereqs

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	nodes, err := workers(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("Nodes")
	}
	return judgeWorkers(nodes)
}

func judgeWorkers(nodes []corev1.Node) step.Finding {
	ready, unready, closed := 0, []string{}, []string{}
	for i := range nodes {
		switch n := &nodes[i]; {
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
		return step.Waiting("%d of the %d needed workers are ready; not ready: %s", ready, leastWorkers, strings.Join(unready, ", ")).On("Nodes")
	}
	f := step.NotThere("%d schedulable workers, %d are needed", ready+len(unready), leastWorkers).On("Nodes")
	if len(closed) > 0 {
		return f.WithHint("these workers take no pods (cordoned or tainted): %s", strings.Join(closed, ", "))
	}
	return f.WithHint("add workers; on a compact cluster set mastersSchedulable in Scheduler cluster")
}

// workers lists the nodes with the worker role, control plane nodes that are also workers included.
func workers(ctx context.Context, c *kube.Client) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := c.List(ctx, list, client.HasLabels{workerLabel}); err != nil {
		return nil, err
	}
	return list.Items, nil
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
