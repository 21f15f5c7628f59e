package cause

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestUntolerated(t *testing.T) {
	taint := func(key, value string, effect corev1.TaintEffect) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: effect}
	}
	for name, tc := range map[string]struct {
		taint     corev1.Taint
		tolerates []corev1.Toleration
		want      string
	}{
		"nothing tolerates it":       {taint: taint("dedicated", "db", corev1.TaintEffectNoSchedule), want: "dedicated=db:NoSchedule"},
		"it is a wish":               {taint: taint("dedicated", "db", corev1.TaintEffectPreferNoSchedule)},
		"a node of a control plane":  {taint: taint("node-role.kubernetes.io/master", "", corev1.TaintEffectNoSchedule)},
		"the pod has its value":      {taint: taint("a", "b", corev1.TaintEffectNoExecute), tolerates: []corev1.Toleration{{Key: "a", Value: "b"}}},
		"the pod has another value":  {taint: taint("a", "b", corev1.TaintEffectNoExecute), tolerates: []corev1.Toleration{{Key: "a", Value: "c"}}, want: "a=b:NoExecute"},
		"the pod has another effect": {taint: taint("a", "b", corev1.TaintEffectNoExecute), tolerates: []corev1.Toleration{{Key: "a", Value: "b", Effect: corev1.TaintEffectNoSchedule}}, want: "a=b:NoExecute"},
		"the pod tolerates all":      {taint: taint("a", "b", corev1.TaintEffectNoExecute), tolerates: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}},
	} {
		node, pod := &corev1.Node{}, &corev1.Pod{}
		node.Spec.Taints, pod.Spec.Tolerations = []corev1.Taint{tc.taint}, tc.tolerates
		if got := untolerated(node, pod); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
