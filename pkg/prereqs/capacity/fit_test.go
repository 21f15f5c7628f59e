package capacity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func needsOf(cpu, memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse(memory)}}
}

func TestRequestsOf(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	pod := &corev1.Pod{}
	pod.Spec.Containers = []corev1.Container{{Resources: needsOf("100m", "1Gi")}, {Resources: needsOf("200m", "1Gi")}, {}}
	check := func(name string, want Resources) {
		t.Helper()
		if got := Requests(pod); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	check("containers", Resources{MilliCPU: 300, Memory: 2 * GiB, Pods: 1})
	pod.Spec.InitContainers = []corev1.Container{{Resources: needsOf("2", "1Gi")}}
	check("a greedy init container", Resources{MilliCPU: 2000, Memory: 2 * GiB, Pods: 1})
	pod.Spec.InitContainers = []corev1.Container{{Resources: needsOf("1", "1Gi"), RestartPolicy: &always},
		{Resources: needsOf("1", "4Gi")}}
	check("a sidecar and an init container after it", Resources{MilliCPU: 2000, Memory: 5 * GiB, Pods: 1})
	pod.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}
	check("overhead", Resources{MilliCPU: 2050, Memory: 5 * GiB, Pods: 1})
	own := needsOf("3", "6Gi")
	pod.Spec.Resources = &own
	check("the pod's own", Resources{MilliCPU: 3050, Memory: 6 * GiB, Pods: 1})
}

func rooms(has Resources, used ...Resources) []Room {
	var out []Room
	for _, u := range used {
		out = append(out, Room{Has: has, Used: u})
	}
	return out
}

func TestFitting(t *testing.T) {
	big := Resources{MilliCPU: 60000, Memory: 250 * GiB, Pods: 250}
	empty := Resources{}
	full := Resources{MilliCPU: 60000, Memory: 250 * GiB, Pods: 250}
	for name, tc := range map[string]struct {
		rooms    []Room
		want     int64
		scarcest string
	}{
		"pods": {rooms(big, empty, empty, empty), 9, "pods"},
		"memory": {rooms(Resources{MilliCPU: 60000, Memory: 60 * GiB, Pods: 500}, empty, empty, empty), 5,
			"memory"},
		"CPU":                {rooms(Resources{MilliCPU: 8000, Memory: 250 * GiB, Pods: 500}, empty, empty, empty), 4, "CPU"},
		"two nodes of three": {rooms(big, empty, empty, full), 0, "nodes"},
		"one small node":     {rooms(big, empty, empty, Resources{MilliCPU: 60000 - 2*1700, Memory: 0, Pods: 0}), 2, "nodes"},
		"overcommitted":      {rooms(big, full.Plus(full), full, full), 0, "CPU"},
		"none":               {nil, 0, "CPU"},
	} {
		t.Run(name, func(t *testing.T) {
			if n, scarcest := Fitting(tc.rooms, HighlyAvailable(), UsualMachines(), 3); n != tc.want || scarcest != tc.scarcest {
				t.Errorf("got %d by %s, want %d by %s", n, scarcest, tc.want, tc.scarcest)
			}
		})
	}
	if n, _ := Fitting(rooms(big, empty), SingleReplica(), UsualMachines(), 1); n != 9 {
		t.Errorf("%d single-replica clusters on one node", n)
	}
}
