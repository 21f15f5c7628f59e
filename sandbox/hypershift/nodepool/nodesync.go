package nodepool

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// labelsSyncedAnnotation on a guest's node says that it got the labels and taints of its pool.
const labelsSyncedAnnotation = "hypershift.openshift.io/labelsSynced"

// applyLabels gives a node its pool's labels and taints, once, and returns whether the node changed. Later changes of
// the pool reach its Machines and no node (hosted-cluster-config-operator, controllers/node, labelsHaveSynced).
func (p *pool) applyLabels(node *corev1.Node) bool {
	if _, done := node.Annotations[labelsSyncedAnnotation]; done {
		return false
	}
	metadata.Add(&node.Annotations, map[string]string{labelsSyncedAnnotation: "true"})
	metadata.Add(&node.Labels, map[string]string{guestPoolLabel: p.np.Name})
	metadata.Add(&node.Labels, p.np.Spec.NodeLabels)
	for _, t := range p.np.Spec.Taints {
		setTaint(node, corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
	}
	return true
}

func setTaint(node *corev1.Node, t corev1.Taint) {
	for i := range node.Spec.Taints {
		if old := &node.Spec.Taints[i]; old.Key == t.Key && old.Effect == t.Effect {
			old.Value = t.Value
			return
		}
	}
	node.Spec.Taints = append(node.Spec.Taints, t)
}

// syncNodes gives the pool's labels and taints to running nodes that have not had them yet.
func (p *pool) syncNodes(ctx context.Context) error {
	for i := range p.machines {
		node := p.machines[i].node
		if node == nil {
			continue
		}
		before := node.DeepCopy()
		if !p.applyLabels(node) {
			continue
		}
		if err := p.guest.Client.Patch(ctx, node, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("label node %s in the guest: %w", node.Name, err)
		}
	}
	return nil
}
