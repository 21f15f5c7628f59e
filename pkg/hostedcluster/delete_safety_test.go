package hostedcluster

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// world is what PrepareDelete reads at least; changes lay over it.
func deletionWorld(changes map[string]any) map[string]any {
	world := map[string]any{
		clustersPath: items(), allPath: items(), poolsPath: items(), namespacesPath: items(), managedPath: items(), secretsPath: items(), mapsPath: items(),
		hostedPath: items(), "/api": object{"kind": "APIVersions", "versions": []any{"v1"}}, "/apis": object{"kind": "APIGroupList"},
		"/api/v1": object{"kind": "APIResourceList", "groupVersion": "v1"}, "/api/v1/namespaces/clusters-kv-00/persistentvolumeclaims": items(),
	}
	maps.Copy(world, changes)
	return world
}

// plane is a namespace that the operator has labelled.
func plane(at string) object {
	return object{"metadata": object{
		"name": "clusters-kv-00", "uid": "plane", "labels": object{controlPlaneLabel: "true"}, "creationTimestamp": "2026-01-02T" + at + "Z",
	}}
}

// TestDeletionIsRefused: where deleting one hosted cluster would take from another, nothing is deleted and both are named.
func TestDeletionIsRefused(t *testing.T) {
	own := hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	planeOf := func(cluster string) object {
		meta := metaOf("clusters-kv-00", "x", nil)
		meta["annotations"] = object{clusterAnnotation: cluster}
		return items(object{"metadata": meta})
	}
	skips := hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	skips["metadata"].(object)["annotations"] = object{hyperv1.SkipControlPlaneNamespaceDeletionAnnotation: "true"}
	kv := clustersPath + "/kv-00"
	for name, tc := range map[string]struct {
		changes map[string]any
		err     string
		left    string
	}{
		"alone": {map[string]any{kv: own, allPath: items(own), namespacesPath + "/clusters-kv-00": plane("10:00:00")}, "", ""},
		"infraID of another": {
			map[string]any{kv: own, allPath: items(own, hosted("team-evil", "evil", "kv-00-abcde", "", "11:00:00"))},
			"HostedCluster clusters/kv-00 has the same spec.infraID kv-00-abcde as HostedCluster team-evil/evil: one of them is a copy, and nothing was deleted", "",
		},
		"clusterID of another": {
			map[string]any{kv: own, allPath: items(own, hosted("team-evil", "evil", "evil-1", "id-1", "11:00:00"))},
			"HostedCluster clusters/kv-00 has the same spec.clusterID id-1 as HostedCluster team-evil/evil: one of them is a copy, and nothing was deleted", "",
		},
		"gone, a NodePool has the infraID of another": {
			map[string]any{allPath: items(hosted("team-evil", "evil", "stolen", "", "11:00:00")), poolsPath: items(object{
				"metadata": metaOf("clusters", "p", object{InfraLabel: "stolen"}), "spec": object{"clusterName": "kv-00"},
			})},
			"what is left of hosted cluster clusters/kv-00 has spec.infraID stolen, which is that of HostedCluster team-evil/evil: nothing was deleted", "",
		},
		"the namespace holds another's control plane": {
			map[string]any{kv: own, allPath: items(own), namespacesPath + "/clusters-kv-00": plane("10:00:00"), hostedPath: planeOf("clusters-kv/00")},
			`HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it holds the control plane of HostedCluster "clusters-kv/00": nothing was deleted`, "",
		},
		"another's control plane would have the namespace": {
			map[string]any{kv: own, allPath: items(own, hosted("clusters-kv", "00", "o-1", "", "11:00:00")), namespacesPath + "/clusters-kv-00": plane("10:00:00")},
			`HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but the control plane of HostedCluster clusters-kv/00 has the same namespace: nothing was deleted`, "",
		},
		"the namespace was there before": {
			map[string]any{kv: own, allPath: items(own), namespacesPath + "/clusters-kv-00": plane("09:59:59")},
			`HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it was there before the HostedCluster: nothing was deleted`, "",
		},
		"the operator is told to keep it": {
			map[string]any{kv: skips, allPath: items(skips), namespacesPath + "/clusters-kv-00": plane("09:59:59")}, "",
			"Namespace clusters-kv-00: an annotation of the HostedCluster asks to keep it",
		},
		"gone, and nothing tells whose the namespace is": {
			map[string]any{namespacesPath + "/clusters-kv-00": plane("10:00:00"), secretsPath: items(object{"metadata": begunMeta("kv-00-pull-secret", "kv-00-abcde")})}, "",
			"Namespace clusters-kv-00: it is a control plane's, but nothing in it tells that it is that of clusters/kv-00",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := PrepareDelete(t.Context(), fakeAPI(t, deletionWorld(tc.changes)), "clusters", "kv-00", DeleteDefaults())
			if message(err) != tc.err {
				t.Fatalf("got  %v\nwant %s", err, tc.err)
			}
			if err != nil {
				var coded interface {
					ExitCode() int
					Hint() string
				}
				if !errors.As(err, &coded) || coded.ExitCode() != 5 || !strings.Contains(coded.Hint(), "docs/delete.md") {
					t.Errorf("%T has no exit code 5 or no hint", err)
				}
				return
			}
			if tc.left != "" && (!slices.Contains(d.Left, tc.left) || slices.Contains(d.Found, "Namespace clusters-kv-00")) {
				t.Errorf("left %q, found %q", d.Left, d.Found)
			}
			if ns, err := d.controlPlane(t.Context()); err != nil || (ns == nil) != (tc.left != "") {
				t.Errorf("control plane %v, %v", ns, err)
			}
		})
	}
}

// TestNotImported: a ManagedCluster is detached only where something proves that it is this cluster's.
func TestNotImported(t *testing.T) {
	own := hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	imported := func(at string, labels object) object {
		return object{"metadata": object{
			"name": "kv-00", "labels": labels, "creationTimestamp": "2026-01-02T" + at + "Z",
			"annotations": object{deployModeAnnotation: "Hosted", createdViaAnnotation: "hypershift"},
		}}
	}
	namesake := hosted("team-evil", "kv-00", "kv-00-other", "", "11:00:00")
	for name, tc := range map[string]struct {
		mc    object
		other any
		left  string
	}{
		"its infraID":                         {imported("10:30:00", object{InfraLabel: "kv-00-abcde"}), namesake, ""},
		"another's infraID":                   {imported("11:30:00", object{InfraLabel: "kv-00-other"}), namesake, `it is that of another hosted cluster of this name, with infraID "kv-00-other"`},
		"its clusterID":                       {imported("10:30:00", object{clusterIDLabel: "id-1"}), namesake, ""},
		"another's clusterID":                 {imported("10:30:00", object{clusterIDLabel: "id-2"}), nil, `it is that of another hosted cluster of this name, with clusterID "id-2"`},
		"its infraID, but another clusterID":  {imported("10:30:00", object{InfraLabel: "kv-00-abcde", clusterIDLabel: "id-2"}), nil, `it is that of another hosted cluster of this name, with clusterID "id-2"`},
		"older than the HostedCluster":        {imported("09:00:00", object{InfraLabel: "kv-00-abcde"}), nil, "it was there before the HostedCluster"},
		"nothing tells, there is a namesake":  {imported("10:30:00", nil), namesake, "it may be that of HostedCluster team-evil/kv-00"},
		"nothing tells, nobody else has name": {imported("10:30:00", nil), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := items(own)
			if tc.other != nil {
				all = items(own, tc.other)
			}
			world := deletionWorld(map[string]any{clustersPath + "/kv-00": own, allPath: all, managedPath + "/kv-00": tc.mc})
			d, err := PrepareDelete(t.Context(), fakeAPI(t, world), "clusters", "kv-00", DeleteDefaults())
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
