package health

import corev1 "k8s.io/api/core/v1"

// NodeReady reports whether the node is ready.
func NodeReady(node *corev1.Node) bool {
	c := NodeReadyCondition(node)
	return c != nil && c.Status == corev1.ConditionTrue
}

// NodeReadyCondition returns what the kubelet says of its node, nil if it has not reported yet.
func NodeReadyCondition(node *corev1.Node) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c
		}
	}
	return nil
}
