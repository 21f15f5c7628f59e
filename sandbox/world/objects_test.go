package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

// born returns the objects that a profile has at birth, by kind and name.
func born(t *testing.T, name string) (profile.Profile, map[string]*unstructured.Unstructured) {
	t.Helper()
	p, err := profile.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := world.Objects(p)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*unstructured.Unstructured{}
	for _, o := range list {
		out[o.GetKind()+" "+o.GetName()] = o
	}
	return p, out
}

func TestEveryProfileHasItsMachines(t *testing.T) {
	for _, name := range profile.Names() {
		p, objects := born(t, name)
		nodes, err := world.NodesOf(p)
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		open := 0
		for _, n := range nodes {
			pool := "worker"
			if _, ok := n.Labels["node-role.kubernetes.io/master"]; ok {
				pool = "master"
			}
			count[pool]++
			_, works := n.Labels["node-role.kubernetes.io/worker"]
			if works == (len(n.Spec.Taints) > 0) {
				t.Errorf("%s: node %s: is a worker: %v, taints %v", name, n.Name, works, n.Spec.Taints)
			}
			if works {
				open++
			}
			want := "v1." + map[string]string{"4.12": "25", "4.13": "26", "4.14": "27", "4.15": "28", "4.16": "29",
				"4.17": "30", "4.18": "31", "4.19": "32", "4.20": "33", "4.21": "34", "4.22": "35", "4.23": "36", "5.0": "36",
				"5.1": "37"}[p.Minor()] + "."
			if got := n.Status.NodeInfo.KubeletVersion; !strings.HasPrefix(got, want) {
				t.Errorf("%s: node %s has kubelet %s, want %s...", name, n.Name, got, want)
			}
		}
		if want := map[string]int{"sno": 1}[name]; want == 0 && open != 3 || want != 0 && open != want {
			t.Errorf("%s: %d nodes take workloads", name, open)
		}
		for _, pool := range []string{"master", "worker"} {
			got, _, _ := unstructured.NestedFieldNoCopy(objects["MachineConfigPool "+pool].Object, "status", "machineCount")
			if fmt.Sprint(got) != fmt.Sprint(count[pool]) {
				t.Errorf("%s: MachineConfigPool %s counts %v machines, there are %d", name, pool, got, count[pool])
			}
		}
	}
}

func TestCapabilitiesAndKindsFollowTheVersion(t *testing.T) {
	for name, want := range map[string]struct{ olm, marketplace, digestMirrors bool }{
		// OperatorLifecycleManager is a capability since 4.15. Older releases always have it.
		"ocp-4.12": {false, true, false},
		"ocp-4.14": {false, true, true},
		"ocp-4.16": {true, true, true},
		"ocp-4.21": {true, true, true},
		"no-olm":   {false, false, true},
	} {
		p, objects := born(t, name)
		enabled, _, _ := unstructured.NestedStringSlice(objects["ClusterVersion version"].Object, "status", "capabilities",
			"enabledCapabilities")
		if slices.Contains(enabled, "OperatorLifecycleManager") != want.olm ||
			slices.Contains(enabled, "marketplace") != want.marketplace {
			t.Errorf("%s: enabled capabilities %v", name, enabled)
		}
		if slices.Contains(enabled, "ClusterAPI") || !slices.Contains(enabled, "Console") {
			t.Errorf("%s: enabled capabilities %v are not of that release", name, enabled)
		}
		if got := world.Defines(p, "imagedigestmirrorsets.config.openshift.io"); got != want.digestMirrors {
			t.Errorf("%s: has ImageDigestMirrorSet: %v", name, got)
		}
		if got := world.Defines(p, "subscriptions.operators.coreos.com"); got != !p.NoOLM {
			t.Errorf("%s: has Subscription: %v", name, got)
		}
		for _, o := range objects {
			plural := strings.ToLower(o.GetKind()) + "s." + o.GroupVersionKind().Group
			if !world.Defines(p, plural) {
				t.Errorf("%s: has %s %s, of a kind it lacks", name, o.GetKind(), o.GetName())
			}
		}
		if got := objects["ClusterOperator marketplace"] != nil; got != want.marketplace {
			t.Errorf("%s: has ClusterOperator marketplace: %v", name, got)
		}
	}
}

func TestDisconnectedSaysWhereItsImagesAre(t *testing.T) {
	for name, want := range map[string]bool{"disconnected": true, "ocp-4.20": false} {
		_, objects := born(t, name)
		off, _, _ := unstructured.NestedBool(objects["OperatorHub cluster"].Object, "spec", "disableAllDefaultSources")
		if mirrors := objects["ImageDigestMirrorSet idms-release-0"] != nil; off != want || mirrors != want {
			t.Errorf("%s: default sources off %v, release mirrored %v, want %v", name, off, mirrors, want)
		}
	}
}
