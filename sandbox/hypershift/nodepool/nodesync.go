package nodepool

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// labelsSyncedAnnotation on a guest's node says which labels and taints of its pool it was given.
const labelsSyncedAnnotation = "hypershift.openshift.io/labelsSynced"

// dress gives a node its pool's labels and taints. What a pool no longer names stays on the node, just as in reality:
// they are handed down through the Machine, and nobody takes them back. It returns whether the node changed.
//
// Guess: operators before 4.21 hand them down once only, when the node joins; here every operator does it on each
// change.
func (p *pool) dress(node *corev1.Node) bool {
	raw, err := json.Marshal(struct {
		Labels map[string]string
		Taints any
	}{p.np.Spec.NodeLabels, p.np.Spec.Taints})
	if err != nil {
		raw = nil // strings and maps of strings can always be encoded
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

// syncNodes brings changed labels and taints of the pool to its nodes, which go on running.
func (p *pool) syncNodes(ctx context.Context) error {
	for i := range p.machines {
		node := p.machines[i].node
		if node == nil {
			continue
		}
		before := node.DeepCopy()
		if !p.dress(node) {
			continue
		}
		if err := p.guest.Client.Patch(ctx, node, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("label node %s in the guest: %w", node.Name, err)
		}
	}
	return nil
}
