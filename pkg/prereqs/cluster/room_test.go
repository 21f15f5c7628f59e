package cluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// clustersOf has so many hosted clusters, and an addon that counts a management cluster full at most.
func clustersOf(existing, most int) string {
	text := fmt.Sprintf(`
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: mce}, spec: {targetNamespace: mce}}
---
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: AddOnDeploymentConfig,
  metadata: {name: hypershift-addon-deploy-config, namespace: mce},
  spec: {customizedVariables: [{name: hcMaxNumber, value: "%d"}]}}
`, most)
	for i := range existing {
		text += fmt.Sprintf(`
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: c%d, namespace: clusters}}
`, i)
	}
	return text
}

// What eight highly available and 23 single-replica hosted clusters fit on.
const (
	roomOfThree = " hosted clusters, each with 2 workers of 2 cores and 8Gi; on 3 workers, by requests: CPU 48.0 free of " +
		"48.0 / 5.4 = 8, memory 768Gi free of 768Gi / 34.6Gi = 22, pods 750 free of 750 / 77 = 9"
	addonFull = "delete a hosted cluster, or raise hcMaxNumber in AddOnDeploymentConfig hypershift-addon-deploy-config"
)

// TestRoom: how many hosted clusters fit, and what to do where none does.
func TestRoom(t *testing.T) {
	// On the third there is room for two control planes only.
	uneven := worker("w1", 64, 500) + worker("w2", 64, 500) + worker("w3", 4, 500)
	const unevenRoom = " hosted clusters, each with 2 workers of 2 cores and 8Gi; on 3 workers, by requests: CPU 132.0 " +
		"free of 132.0 / 5.4 = 24, memory 768Gi free of 768Gi / 34.6Gi = 22, pods 1500 free of 1500 / 77 = 19; a control " +
		"plane takes a third of that on each of 3 nodes, which leaves fewer"
	var small string
	for i := range 8 {
		small += worker(fmt.Sprintf("w%d", i), 1, 250)
	}
	for name, tc := range map[string]struct {
		objects    []string
		state      step.State
		want, hint string
	}{
		"by requests": {[]string{threeWorkers(16, 250)}, step.StateOK,
			"room for 8 more highly available or 23 more single-replica" + roomOfThree, ""},
		"by nodes, and as many by the addon": {[]string{uneven, clustersOf(1, 3)}, step.StateOK,
			"room for 2 more highly available or 2 more single-replica" + unevenRoom +
				"; hosted clusters: 1, and the hypershift addon counts 3 as full", ""},
		"fewer by the addon": {[]string{uneven, clustersOf(1, 2)}, step.StateOK,
			"room for 1 more highly available or 1 more single-replica" +
				strings.TrimSuffix(unevenRoom, "; a control plane takes a third of that on each of 3 nodes, which leaves fewer") +
				"; hosted clusters: 1, and the hypershift addon counts 2 as full", ""},
		"all are left out": {[]string{strings.ReplaceAll(threeWorkers(16, 250), "status:", "spec: {unschedulable: true}, status:"),
			strings.ReplaceAll(worker("w4", 16, 250), "status:",
				"spec: {taints: [{key: gpu, value: a, effect: NoSchedule}]}, status:")}, step.StateMissing,
			"no ready worker takes pods, so there is room for no hosted cluster; not counted: 3 of 4 workers are cordoned, " +
				"1 has taint gpu=a:NoSchedule", "oc adm uncordon w1 w2 w3"},
		"none by the addon": {[]string{threeWorkers(16, 250), clustersOf(0, 0)}, step.StateMissing,
			"room for 0 more highly available or 0 more single-replica" + roomOfThree +
				"; hosted clusters: 0, and the hypershift addon counts 0 as full", addonFull},
		"more than the addon takes": {[]string{threeWorkers(16, 250), clustersOf(3, 1)}, step.StateMissing,
			"room for 0 more highly available or 0 more single-replica" + roomOfThree +
				"; hosted clusters: 3, and the hypershift addon counts 1 as full", addonFull},
		"none by nodes, not even a single replica": {[]string{small}, step.StateMissing,
			"room for 0 more highly available or 0 more single-replica hosted clusters, each with 2 workers of 2 cores and " +
				"8Gi; on 8 workers, by requests: CPU 8.0 free of 8.0 / 5.4 = 1, memory 2048Gi free of 2048Gi / 34.6Gi = 59, " +
				"pods 2000 free of 2000 / 77 = 25; a control plane takes a third of that on each of 3 nodes, which leaves fewer",
			"add workers, or move other work off them: oc adm top nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects...)
			expectWhole(t, api, Capacity, nil, tc.state, tc.want)
			if hint := prereqtest.Check(t, api.Client, Prerequisites(Options{}), Capacity).Hint.String(); hint != tc.hint {
				t.Errorf("hint %q, want %q", hint, tc.hint)
			}
		})
	}
}

// TestRoomForSeveral: up to eight highly available clusters fit on three workers of 16 cores.
func TestRoomForSeveral(t *testing.T) {
	const free = "; free on 3 workers, by requests: CPU 48.0, memory 768Gi, 750 pods"
	for name, tc := range map[string]struct {
		clusters int64
		objects  string
		state    step.State
		want     string
	}{
		"one": {1, "", step.StateOK, "it requests CPU 5.8, memory 34.6Gi and 77 pods (control plane and 2 workers)" + free},
		"all": {8, "", step.StateOK,
			"of 8 clusters, each with about 2 workers, 8 fit: each requests about CPU 5.8, memory 34.6Gi and 77 pods" + free},
		"one too many": {9, "", step.StateMissing, "no room: of 9 clusters, each with about 2 workers, 8 fit: each requests " +
			"about CPU 5.8, memory 34.6Gi and 77 pods" + free},
		"as many as the addon takes": {8, clustersOf(2, 10), step.StateOK,
			"of 8 clusters, each with about 2 workers, 8 fit: each requests about CPU 5.8, memory 34.6Gi and 77 pods" + free},
		"more than the addon takes": {8, clustersOf(3, 10), step.StateMissing,
			"hosted clusters: 3, and 8 to be created; the hypershift addon counts 10 as full"},
		"the last that the addon takes": {1, clustersOf(1, 2), step.StateOK,
			"it requests CPU 5.8, memory 34.6Gi and 77 pods (control plane and 2 workers)" + free},
		"one where the addon is full": {1, clustersOf(2, 2), step.StateMissing,
			"hosted clusters: 2, and the hypershift addon counts 2 as full"},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := &prereq.Wanted{Clusters: tc.clusters, HighlyAvailable: true, Workers: 2, Cores: 8, Memory: 16 << 30}
			expectWhole(t, prereqtest.Serve(t, threeWorkers(16, 250), tc.objects), Capacity, wanted, tc.state, tc.want)
		})
	}
}

func TestDemand(t *testing.T) {
	w := prereq.Wanted{HighlyAvailable: true, Workers: 2, Cores: 10, Memory: 1 << 30}
	if d := Demand(w); d.Plane.Pods != 75 || d.Machines.Pods != 2 || d.Machines.MilliCPU != 1000 || d.Copies != 3 {
		t.Errorf("%+v", d)
	}
	w.Elsewhere = true
	if d := Demand(w); d.Machines != (capacity.Resources{}) {
		t.Errorf("elsewhere: %v", d.Machines)
	}
}
