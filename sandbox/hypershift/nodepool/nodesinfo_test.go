package nodepool

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestNodesAreCountedByVersion(t *testing.T) {
	with := func(version string, ready corev1.ConditionStatus) machine {
		node := &corev1.Node{}
		setNodeInfo(node, version)
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
		return machine{node: node}
	}
	got := countNodes([]machine{with("4.20.3", corev1.ConditionTrue), {}, with("4.19.4", corev1.ConditionTrue),
		with("4.19.4", corev1.ConditionFalse), with("4.19.4", corev1.ConditionTrue), {node: &corev1.Node{}}})
	if text := fmt.Sprint(got.NodeVersions); text != "[{4.19.4 v1.32.5 2 1} {4.20.3 v1.33.5 1 0}]" {
		t.Error(text)
	}
	if none := countNodes([]machine{{}}); none.NodeVersions != nil {
		t.Errorf("without a node: %+v", none)
	}
}
