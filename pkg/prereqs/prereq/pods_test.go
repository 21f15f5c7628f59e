package prereq

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

func TestOwnedBy(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"pod-template-hash": "5f7"}}}
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "hive-operator-5f7"}}
	for deployment, want := range map[string]bool{"hive-operator": true, "hive": false, "hive-operator-5f7": false} {
		if got := ownedBy(pod, deployment, false); got != want {
			t.Errorf("%s: got %t", deployment, got)
		}
	}
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Name: "speaker"}}
	if !ownedBy(pod, "speaker", true) || ownedBy(pod, "speaker", false) || ownedBy(pod, "other", true) {
		t.Error("the pods of a DaemonSet are not found")
	}
}

func TestJudgeNodeSelector(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: map[string]string{"zone": "a", "infra": ""}}}
	node := func(labels map[string]string) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}}
	}
	if f := judgeNodeSelector(pod, []corev1.Node{node(nil), node(map[string]string{"zone": "a", "infra": "",
		"more": "x"})}); f != nil {
		t.Errorf("got %+v", f)
	}
	f := judgeNodeSelector(pod, []corev1.Node{node(map[string]string{"zone": "a"}), node(map[string]string{"infra": ""})})
	if f == nil {
		t.Fatal("nothing found")
	}
	steptest.Expect(t, *f, step.StateBroken, "infra=,zone=a")
}
