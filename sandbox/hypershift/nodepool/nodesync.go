package nodepool

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// labelsSyncedAnnotation on a guest's node has the labels and taints that it got from its pool.
const labelsSyncedAnnotation = "hypershift.openshift.io/labelsSynced"

// applyLabels gives a node its pool's labels and taints, and returns whether the node changed. As with the real
// operator, removed labels stay on the node, because they pass through the Machine and nothing removes them.
//
// Operators before 4.21 may apply them only once, when the node joins. Here every operator applies each change.
func (p *pool) applyLabels(node *corev1.Node) bool {
	raw, err := json.Marshal(struct {
		Labels map[string]string
		Taints any
	}{p.np.Spec.NodeLabels, p.np.Spec.Taints})
	if err != nil {
		raw = nil // strings and maps of strings always encode
	}
	hash := metadata.ShortHash(string(raw), 8)
	if node.Annotations[labelsSyncedAnnotation] == hash {
		return false
	}
	metadata.Add(&node.Annotations, map[string]string{labelsSyncedAnnotation: hash})
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

// syncNodes applies changed labels and taints of the pool to its running nodes.
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
