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

func TestJudgePod(t *testing.T) {
	waits := func(reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "c",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
	}
	unscheduled := corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled,
		Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes"}}}
	for name, tc := range map[string]struct {
		status corev1.PodStatus
		says   string
	}{
		"new":    {corev1.PodStatus{}, ""},
		"starts": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{waits("ContainerCreating", "")}}, ""},
		"no image": {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{waits("ImagePullBackOff",
			"Back-off pulling image")}}, "container c waits: ImagePullBackOff: Back-off pulling image"},
		"init crashes": {corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{waits("CrashLoopBackOff", "")},
			ContainerStatuses: []corev1.ContainerStatus{waits("PodInitializing", "")}}, "CrashLoopBackOff"},
		"no node": {unscheduled, "it fits on no node: 0/3 nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgePod(&corev1.Pod{Status: tc.status})
			if (f == nil) != (tc.says == "") {
				t.Fatalf("got %+v", f)
			}
			if f != nil {
				steptest.Expect(t, *f, step.StatePending, tc.says)
				if !f.Trouble {
					t.Error("it is not told as trouble")
				}
			}
		})
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
