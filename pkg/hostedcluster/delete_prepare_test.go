package hostedcluster

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestPrepareDelete(t *testing.T) {
	own := object{"metadata": metaOf("clusters", "kv-00-pull-secret", object{InfraLabel: "kv-00-abcde", "app.kubernetes.io/managed-by": "hcctl"})}
	imported := func(labels object) object {
		return object{"metadata": object{"name": "kv-00", "labels": labels, "annotations": object{deployModeAnnotation: "Hosted", createdViaAnnotation: "hypershift"}}}
	}
	hc := object{"metadata": metaOf("clusters", "kv-00", nil), "spec": object{"infraID": "kv-00-abcde"}}
	namesake := object{"metadata": metaOf("dev", "kv-00", nil), "spec": object{"infraID": "kv-00-other"}}
	nothing := map[string]any{clustersPath: items(), allPath: items(), poolsPath: items(), namespacesPath: items(), managedPath: items(), secretsPath: items(), mapsPath: items(),
		"/api": object{"kind": "APIVersions", "versions": []any{"v1"}}, "/api/v1": object{"kind": "APIResourceList", "groupVersion": "v1"}, "/apis": object{"kind": "APIGroupList"},
		"/api/v1/namespaces/clusters-kv-00/persistentvolumeclaims": items()}
	for name, tc := range map[string]struct {
		world map[string]any
		want  []string
		err   string
	}{
		"never heard of": {map[string]any{allPath: items(object{"metadata": metaOf("clusters", "other", nil)}, namesake)}, nil, `no hosted cluster "kv-00" in namespace "clusters"; there are: dev/kv-00, other`},
		"whole": {
			map[string]any{
				clustersPath + "/kv-00": hc, managedPath + "/kv-00": imported(object{InfraLabel: "kv-00-abcde"}),
				namespacesPath + "/clusters-kv-00": object{"metadata": object{"name": "clusters-kv-00", "labels": object{controlPlaneLabel: "true"}}},
				poolsPath:                          items(object{"metadata": metaOf("clusters", "kv-00", nil), "spec": object{"clusterName": "kv-00"}}, object{"metadata": metaOf("clusters", "x", nil), "spec": object{"clusterName": "x"}}),
			}, []string{"HostedCluster clusters/kv-00", "NodePool clusters/kv-00", "Namespace clusters-kv-00", "ManagedCluster kv-00"}, "",
		},
		"only Secrets left":                      {map[string]any{secretsPath: items(own)}, []string{"Secret clusters/kv-00-pull-secret"}, ""},
		"only a ManagedCluster of its name left": {map[string]any{managedPath + "/kv-00": imported(nil)}, nil, `no hosted cluster "kv-00" in namespace "clusters"; there is none at all`},
		"Secrets and ManagedCluster left": {
			map[string]any{managedPath + "/kv-00": imported(nil), secretsPath: items(own)}, []string{"ManagedCluster kv-00", "Secret clusters/kv-00-pull-secret"}, "",
		},
		"ManagedCluster of a namesake": {map[string]any{managedPath + "/kv-00": imported(object{InfraLabel: "kv-00-other"}), clustersPath + "/kv-00": hc}, []string{"HostedCluster clusters/kv-00"}, ""},
		"older addon, namesake":        {map[string]any{managedPath + "/kv-00": imported(nil), allPath: items(namesake), clustersPath + "/kv-00": hc}, []string{"HostedCluster clusters/kv-00"}, ""},
		"someone's ManagedCluster":     {map[string]any{managedPath + "/kv-00": object{"metadata": object{"name": "kv-00"}}, clustersPath + "/kv-00": hc}, []string{"HostedCluster clusters/kv-00"}, ""},
		"a namespace not HyperShift's": {
			map[string]any{namespacesPath + "/clusters-kv-00": object{"metadata": object{"name": "clusters-kv-00"}}, clustersPath + "/kv-00": hc}, nil,
			"HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it is no control plane's (it has no label hypershift.openshift.io/hosted-control-plane): nothing was deleted",
		},
		"a namespace not HyperShift's, HostedCluster gone": {
			map[string]any{namespacesPath + "/clusters-kv-00": object{"metadata": object{"name": "clusters-kv-00"}}, secretsPath: items(own)},
			[]string{"Secret clusters/kv-00-pull-secret"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := maps.Clone(nothing)
			maps.Copy(world, tc.world)
			d, err := PrepareDelete(t.Context(), fakeAPI(t, world), "clusters", "kv-00", DeleteDefaults())
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("got %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, d.Found); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDeletionStepsFormAGraph(t *testing.T) {
	if _, err := step.New((&Deletion{}).Steps()...); err != nil {
		t.Fatal(err)
	}
}
