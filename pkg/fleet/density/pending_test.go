package density

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStalled(t *testing.T) {
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff",
		Message: "no such image"}}
	for _, tt := range []struct {
		name   string
		status corev1.PodStatus
		gone   bool
		want   bool
		why    string
	}{
		{name: "running", status: corev1.PodStatus{Phase: corev1.PodRunning}},
		{
			name: "no node takes it",
			status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
					Message: "0/3 nodes\nare available"},
			}},
			want: true, why: "Unschedulable: 0/3 nodes are available",
		},
		{name: "its image does not come", status: corev1.PodStatus{Phase: corev1.PodPending,
			ContainerStatuses: []corev1.ContainerStatus{{State: waiting}}}, want: true, why: "ImagePullBackOff: no such image"},
		{name: "nothing is reported", status: corev1.PodStatus{Phase: corev1.PodPending}, want: true},
		{
			name: "an init container runs", status: corev1.PodStatus{
				Phase:                 corev1.PodPending,
				InitContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}, ContainerStatuses: []corev1.ContainerStatus{{State: waiting}},
			},
		},
		{name: "an init container has run", status: corev1.PodStatus{Phase: corev1.PodPending,
			InitContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}}}},
		{name: "being deleted", status: corev1.PodStatus{Phase: corev1.PodPending}, gone: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b", UID: "c",
				CreationTimestamp: metav1.NewTime(noon)}, Status: tt.status}
			if tt.gone {
				pod.DeletionTimestamp = &pod.CreationTimestamp
			}
			got, yes := stalled(pod)
			if yes != tt.want || got.Why != tt.why {
				t.Errorf("%v %q, want %v %q", yes, got.Why, tt.want, tt.why)
			}
			if yes && (got.Pod != "a/b" || got.UID != "c" || !got.Since.Equal(noon)) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestLongerIsOldestFirst(t *testing.T) {
	all := []Stalled{pendingSince(6, "a"), pendingSince(5, "exactly"), pendingSince(9, "b"), pendingSince(99, "known")}
	got := olderThan(all, noon, 5*time.Minute, []string{"known"})
	if len(got) != 2 || got[0].UID != "b" || got[1].UID != "a" {
		t.Errorf("got %+v, want b and a", got)
	}
}
