package prereqs

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/pkg/step"
)

func needsOf(cpu, memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}}
}

func TestRequestsOf(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	pod := &corev1.Pod{}
	pod.Spec.Containers = []corev1.Container{{Resources: needsOf("100m", "1Gi")}, {Resources: needsOf("200m", "1Gi")}, {}}
	check := func(name string, want amount) {
		t.Helper()
		if got := requestsOf(pod); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	check("containers", amount{300, 2 * gib, 1})
	pod.Spec.InitContainers = []corev1.Container{{Resources: needsOf("2", "1Gi")}}
	check("a greedy init container", amount{2000, 2 * gib, 1})
	pod.Spec.InitContainers = []corev1.Container{{Resources: needsOf("1", "1Gi"), RestartPolicy: &always}, {Resources: needsOf("1", "4Gi")}}
	check("a sidecar and an init container after it", amount{2000, 5 * gib, 1})
	pod.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}
	check("overhead", amount{2050, 5 * gib, 1})
	own := needsOf("3", "6Gi")
	pod.Spec.Resources = &own
	check("the pod's own", amount{3050, 6 * gib, 1})
}

func rooms(has amount, used ...amount) []room {
	var out []room
	for _, u := range used {
		out = append(out, room{has: has, used: u})
	}
	return out
}

func TestFitting(t *testing.T) {
	big := amount{60000, 250 * gib, 250}
	empty := amount{}
	full := amount{60000, 250 * gib, 250}
	for name, tc := range map[string]struct {
		rooms    []room
		want     int64
		scarcest string
	}{
		"pods":               {rooms(big, empty, empty, empty), 9, "pods"},
		"memory":             {rooms(amount{60000, 60 * gib, 500}, empty, empty, empty), 5, "memory"},
		"CPU":                {rooms(amount{8000, 250 * gib, 500}, empty, empty, empty), 4, "CPU"},
		"two nodes of three": {rooms(big, empty, empty, full), 0, "nodes"},
		"one small node":     {rooms(big, empty, empty, amount{60000 - 2*1700, 0, 0}), 2, "nodes"},
		"overcommitted":      {rooms(big, full.plus(full), full, full), 0, "CPU"},
		"none":               {nil, 0, "CPU"},
	} {
		t.Run(name, func(t *testing.T) {
			if n, scarcest := fitting(tc.rooms, highlyAvailable(), guestWorkers(), 3); n != tc.want || scarcest != tc.scarcest {
				t.Errorf("got %d by %s, want %d by %s", n, scarcest, tc.want, tc.scarcest)
			}
		})
	}
	if n, _ := fitting(rooms(big, empty), singleReplica(), guestWorkers(), 1); n != 9 {
		t.Errorf("%d single-replica clusters on one node", n)
	}
}

func TestJudgeCapacity(t *testing.T) {
	big := amount{60000, 250 * gib, 250}
	three := rooms(big, amount{}, amount{}, amount{10000, 50 * gib, 100})
	f := judgeCapacity(three, 0, 0, 80)
	expect(t, f, step.OK, "room for 6 more highly available or 24 more single-replica hosted clusters, each with 2 workers of 2 cores and 8Gi; "+
		"on 3 workers, by requests: CPU 170.0 free of 180.0 / 5.4 = 31, memory 700Gi free of 750Gi / 34.6Gi = 20, pods 650 free of 750 / 77 = 8; a control plane takes a third of that on each of 3 nodes, which leaves fewer")
	expect(t, judgeCapacity(three, 4, 3, 80), step.OK, "fewer; 3 hosted clusters are there, the hypershift addon counts 80 as full; 4 pods that wait for a node are not counted")
	expect(t, judgeCapacity(three, 0, 78, 80), step.OK, "room for 2 more highly available or 2 more single-replica")
	for name, tc := range map[string]struct {
		f    step.Finding
		hint string
	}{
		"addon": {judgeCapacity(three, 0, 80, 80), "hcMaxNumber"},
		"pods":  {judgeCapacity(rooms(amount{60000, 250 * gib, 20}, amount{}, amount{}, amount{}), 0, 0, 80), "KubeletConfig"},
		"nodes": {judgeCapacity(rooms(big, amount{}, amount{}), 0, 0, 80), "3 workers with room"},
		"cpu":   {judgeCapacity(rooms(amount{100, 250 * gib, 250}, amount{}, amount{}, amount{}), 0, 0, 80), "add workers"},
	} {
		expect(t, tc.f, step.Missing, "room for 0 more highly available")
		if !strings.Contains(tc.f.Hint, tc.hint) {
			t.Errorf("%s: %s", name, tc.f.Hint)
		}
	}
	expect(t, judgeCapacity(nil, 0, 0, 80), step.Missing, "no ready worker")
}
