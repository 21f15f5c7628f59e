package chaos

import (
	"strings"
	"testing"
)

// TestProcessFaults has one management cluster, ready for hosted clusters, for all that happens to hcctl as a process.
func TestProcessFaults(t *testing.T) {
	w := newWorld(t, "--profile", "ready", "--guests", "2")
	w.merge(t, addressPools, "metallb-system", "metallb", `{"spec":{"addresses":["`+w.addresses+`"]}}`)
	before := w.written(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"killed", killed}, {"streams", streams}, {"disk", disk}, {"signals", signals}, {"together", together},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.run(t, w)
			w.same(t, before, "after all clusters are deleted")
		})
	}
}

// killed: create, upgrade and delete, killed at their request boundaries in turn, end as undisturbed ones do: create at all of them, the others, but in
// the whole form, at those of writes.
func killed(t *testing.T, w *world) {
	create := []string{"create", "cluster", "--name", "kv-00", "--yes", "--version", "4.20.3", "--infra-id", "kv-00-fixed", "--pull-secret", w.pullSecret}
	upgrade := []string{"upgrade", "cluster", "kv-00", "--version", "4.20.8", "--yes"}
	remove := []string{"delete", "cluster", "kv-00", "--yes"}
	w.direct.Must(t, create...)
	created := w.written(t)
	plant(t, w)
	w.direct.Must(t, upgrade...)
	upgraded := w.written(t)
	w.direct.Must(t, remove...)

	w.killedInTurn(t, false, create...)
	w.same(t, created, "created by runs that were killed")
	plant(t, w)
	w.killedInTurn(t, !wholeLists(), upgrade...)
	w.same(t, upgraded, "upgraded by runs that were killed")
	w.has(t, hostedClusters, "clusters", "kv-00", "somebody", "metadata", "annotations", "example.com/owner")
	w.has(t, nodePools, "clusters", "kv-00", "7m0s", "spec", "nodeDrainTimeout")
	w.has(t, nodePools, "clusters", "somebodys", "0", "spec", "replicas")
	w.killedInTurn(t, !wholeLists(), remove...)
	if wholeLists() {
		killedAtEachWrite(t, w, create, remove, created)
	}
}

// plant is what a user does with a cluster that hcctl made: labels and annotations, a field changed by hand, a node pool.
func plant(t *testing.T, w *world) {
	t.Helper()
	w.merge(t, hostedClusters, "clusters", "kv-00", `{"metadata":{"annotations":{"example.com/owner":"somebody"},"labels":{"example.com/room":"a"}}}`)
	w.merge(t, nodePools, "clusters", "kv-00", `{"spec":{"nodeDrainTimeout":"7m0s"}}`)
	w.make(t, nodePools, "clusters", map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool", "metadata": map[string]any{"name": "somebodys", "namespace": "clusters"},
		"spec": map[string]any{
			"clusterName": "kv-00", "replicas": int64(0), "arch": "amd64", "management": map[string]any{"upgradeType": "Replace"},
			"release": map[string]any{"image": "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"},
			"platform": map[string]any{"type": "KubeVirt", "kubevirt": map[string]any{
				"compute": map[string]any{"cores": int64(2), "memory": "8Gi"}, "rootVolume": map[string]any{"type": "Persistent", "persistent": map[string]any{"size": "32Gi"}},
			}},
		},
	})
}

// killedAtEachWrite kills one create at one write and lets it run again, on clean ground each time.
func killedAtEachWrite(t *testing.T, w *world, create, remove []string, want map[string]string) {
	create = append(create, "--wait", "api")
	for i := 1; ; i++ {
		_, reached := w.killedAt(t, theNth(i, true), create...)
		if reached {
			w.direct.Must(t, create...)
		}
		w.same(t, want, "killed at one write and run again")
		w.direct.Must(t, remove...)
		if !reached {
			t.Logf("hcctl %s: killed at each of %d write boundaries on clean ground", strings.Join(create[:2], " "), i-1)
			return
		}
	}
}
