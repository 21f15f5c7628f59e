package deletion

import (
	"maps"
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
)

// world is what Prepare reads at least; changes lay over it.
func deletionWorld(changes map[string]any) map[string]any {
	world := map[string]any{
		hostedtest.ClustersPath:   hostedtest.Items(),
		hostedtest.AllPath:        hostedtest.Items(),
		hostedtest.PoolsPath:      hostedtest.Items(),
		hostedtest.NamespacesPath: hostedtest.Items(),
		hostedtest.ManagedPath:    hostedtest.Items(),
		hostedtest.SecretsPath:    hostedtest.Items(),
		hostedtest.MapsPath:       hostedtest.Items(),
		hostedPath:                hostedtest.Items(),
		"/api":                    hostedtest.Object{"kind": "APIVersions", "versions": []any{"v1"}},
		"/apis":                   hostedtest.Object{"kind": "APIGroupList"},
		"/api/v1": hostedtest.Object{
			"kind":         "APIResourceList",
			"groupVersion": "v1",
		},
		"/api/v1/namespaces/clusters-kv-00/persistentvolumeclaims": hostedtest.Items(),
	}
	maps.Copy(world, changes)
	return world
}

// plane is a namespace that the operator has labelled.
func plane(at string) hostedtest.Object {
	return hostedtest.Object{"metadata": hostedtest.Object{
		"name":              "clusters-kv-00",
		"uid":               "plane",
		"labels":            hostedtest.Object{hostedcluster.ControlPlaneLabel: "true"},
		"creationTimestamp": "2026-01-02T" + at + "Z",
	}}
}

// TestDeletionIsRefused: where deleting one hosted cluster would take from another, nothing is deleted and both are
// named.
func TestDeletionIsRefused(t *testing.T) {
	own := hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	planeOf := func(cluster string) hostedtest.Object {
		meta := hostedtest.MetaOf("clusters-kv-00", "x", nil)
		meta["annotations"] = hostedtest.Object{hostedcluster.OwnerAnnotation: cluster}
		return hostedtest.Items(hostedtest.Object{"metadata": meta})
	}
	skips := hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	skips["metadata"].(hostedtest.Object)["annotations"] = hostedtest.Object{
		hyperv1.SkipControlPlaneNamespaceDeletionAnnotation: "true",
	}
	kv := hostedtest.ClustersPath + "/kv-00"
	for name, tc := range map[string]struct {
		changes map[string]any
		err     string
		left    string
	}{
		"alone": {map[string]any{kv: own, hostedtest.AllPath: hostedtest.Items(own), hostedtest.NamespacesPath +
			"/clusters-kv-00": plane("10:00:00")}, "", ""},
		"infraID of another": {
			map[string]any{kv: own, hostedtest.AllPath: hostedtest.Items(own,
				hostedtest.Hosted("team-evil", "evil", "kv-00-abcde", "", "11:00:00"))},
			"HostedCluster clusters/kv-00 has the same spec.infraID kv-00-abcde as HostedCluster team-evil/evil: one of them " +
				"is a copy, and nothing was deleted", "",
		},
		"clusterID of another": {
			map[string]any{kv: own, hostedtest.AllPath: hostedtest.Items(own,
				hostedtest.Hosted("team-evil", "evil", "evil-1", "id-1", "11:00:00"))},
			"HostedCluster clusters/kv-00 has the same spec.clusterID id-1 as HostedCluster team-evil/evil: one of them is a " +
				"copy, and nothing was deleted", "",
		},
		"gone, a NodePool has the infraID of another": {
			map[string]any{hostedtest.AllPath: hostedtest.Items(hostedtest.Hosted("team-evil", "evil", "stolen", "", "11:00:00")),
				hostedtest.PoolsPath: hostedtest.Items(hostedtest.Object{
					"metadata": hostedtest.MetaOf("clusters", "p", hostedtest.Object{hostedcluster.InfraLabel: "stolen"}),
					"spec":     hostedtest.Object{"clusterName": "kv-00"},
				})},
			"what is left of hosted cluster clusters/kv-00 has spec.infraID stolen, which is that of HostedCluster " +
				"team-evil/evil: nothing was deleted", "",
		},
		"the namespace holds another's control plane": {
			map[string]any{kv: own, hostedtest.AllPath: hostedtest.Items(own), hostedtest.NamespacesPath +
				"/clusters-kv-00": plane("10:00:00"), hostedPath: planeOf("clusters-kv/00")},
			`HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it holds the ` +
				`control plane of HostedCluster "clusters-kv/00": nothing was deleted`, "",
		},
		"another's control plane would have the namespace": {
			map[string]any{kv: own, hostedtest.AllPath: hostedtest.Items(own,
				hostedtest.Hosted("clusters-kv", "00", "o-1", "", "11:00:00")), hostedtest.NamespacesPath +
				"/clusters-kv-00": plane("10:00:00")},
			`HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but the control ` +
				`plane of HostedCluster clusters-kv/00 has the same namespace: nothing was deleted`, "",
		},
		"the namespace was there before": {
			map[string]any{kv: own, hostedtest.AllPath: hostedtest.Items(own), hostedtest.NamespacesPath +
				"/clusters-kv-00": plane("09:59:59")},
			`HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it was there ` +
				`before the HostedCluster: nothing was deleted`, "",
		},
		"the operator is told to keep it": {
			map[string]any{kv: skips, hostedtest.AllPath: hostedtest.Items(skips), hostedtest.NamespacesPath +
				"/clusters-kv-00": plane("09:59:59")}, "",
			"Namespace clusters-kv-00: an annotation of the HostedCluster asks to keep it",
		},
		"gone, and nothing tells whose the namespace is": {
			map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": plane("10:00:00"),
				hostedtest.SecretsPath: hostedtest.Items(hostedtest.Object{"metadata": hostedtest.UnfinishedMeta("kv-00-pull-secret",
					"kv-00-abcde")})}, "",
			"Namespace clusters-kv-00: it is a control plane's, but nothing in it shows that it belongs to clusters/kv-00",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Prepare(t.Context(), hostedtest.ReadOnly(t, deletionWorld(tc.changes)), "clusters", "kv-00", Defaults())
			if hostedtest.Message(err) != tc.err {
				t.Fatalf("got  %v\nwant %s", err, tc.err)
			}
			if err != nil {
				if failure.Of(err) != failure.Final || !strings.Contains(failure.Hint(err).String(), "docs/delete.md") {
					t.Errorf("%T has no exit code 5 or no hint", err)
				}
				return
			}
			if tc.left != "" && (!slices.Contains(d.Left, tc.left) || slices.Contains(d.Found, "Namespace clusters-kv-00")) {
				t.Errorf("left %q, found %q", d.Left, d.Found)
			}
			if ns, err := d.controlPlane(t.Context(), d.client); err != nil || (ns == nil) != (tc.left != "") {
				t.Errorf("control plane %v, %v", ns, err)
			}
		})
	}
}

// TestNotImported: a ManagedCluster is detached only where something proves that it is this cluster's.
func TestNotImported(t *testing.T) {
	own := hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	imported := func(at string, labels hostedtest.Object) hostedtest.Object {
		return hostedtest.Object{"metadata": hostedtest.Object{
			"name": "kv-00", "labels": labels, "creationTimestamp": "2026-01-02T" + at + "Z",
			"annotations": hostedtest.Object{managedcluster.DeployModeAnnotation: "Hosted", managedcluster.CreatedViaAnnotation: "hypershift"},
		}}
	}
	namesake := hostedtest.Hosted("team-evil", "kv-00", "kv-00-other", "", "11:00:00")
	for name, tc := range map[string]struct {
		mc    hostedtest.Object
		other any
		left  string
	}{
		"its infraID": {imported("10:30:00", hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde"}),
			namesake, ""},
		"another's infraID": {imported("11:30:00", hostedtest.Object{hostedcluster.InfraLabel: "kv-00-other"}),
			namesake, `it is that of another hosted cluster of this name, with infraID "kv-00-other"`},
		"its clusterID": {imported("10:30:00", hostedtest.Object{"clusterID": "id-1"}), namesake, ""},
		"another's clusterID": {imported("10:30:00", hostedtest.Object{"clusterID": "id-2"}), nil,
			`it is that of another hosted cluster of this name, with clusterID "id-2"`},
		"its infraID, but another clusterID": {imported("10:30:00",
			hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde", "clusterID": "id-2"}), nil,
			`it is that of another hosted cluster of this name, with clusterID "id-2"`},
		"older than the HostedCluster": {imported("09:00:00", hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde"}), nil,
			"it was there before the HostedCluster"},
		"nothing tells, there is a namesake": {imported("10:30:00", nil), namesake, "it may be that of HostedCluster " +
			"team-evil/kv-00"},
		"nothing tells, nobody else has name": {imported("10:30:00", nil), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := hostedtest.Items(own)
			if tc.other != nil {
				all = hostedtest.Items(own, tc.other)
			}
			world := deletionWorld(
				map[string]any{hostedtest.ClustersPath + "/kv-00": own, hostedtest.AllPath: all, hostedtest.ManagedPath + "/kv-00": tc.mc},
			)
			d, err := Prepare(t.Context(), hostedtest.ReadOnly(t, world), "clusters", "kv-00", Defaults())
			if err != nil {
				t.Fatal(err)
			}
			if taken := slices.Contains(d.Outside, "ManagedCluster kv-00"); taken != (tc.left == "") {
				t.Errorf("taken: %t; left %q", taken, d.Left)
			}
			if tc.left != "" && !slices.Contains(d.Left, "ManagedCluster kv-00: "+tc.left) {
				t.Errorf("left %q, want %s", d.Left, tc.left)
			}
		})
	}
}
