package deletion

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fakeapi"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestPrepareDelete(t *testing.T) {
	own := fakeapi.Object{
		"metadata": fakeapi.MetaOf(
			"clusters",
			"kv-00-pull-secret",
			fakeapi.Object{hostedcluster.InfraLabel: "kv-00-abcde", "app.kubernetes.io/managed-by": "hcctl"},
		),
	}
	imported := func(labels fakeapi.Object) fakeapi.Object {
		return fakeapi.Object{
			"metadata": fakeapi.Object{
				"name":        "kv-00",
				"labels":      labels,
				"annotations": fakeapi.Object{managedcluster.DeployModeAnnotation: "Hosted", managedcluster.CreatedViaAnnotation: "hypershift"},
			},
		}
	}
	hc := fakeapi.Object{
		"metadata": fakeapi.MetaOf("clusters", "kv-00", nil),
		"spec":     fakeapi.Object{"infraID": "kv-00-abcde"},
	}
	namesake := fakeapi.Object{
		"metadata": fakeapi.MetaOf("dev", "kv-00", nil),
		"spec":     fakeapi.Object{"infraID": "kv-00-other"},
	}
	nothing := map[string]any{
		fakeapi.ClustersPath:   fakeapi.Items(),
		fakeapi.AllPath:        fakeapi.Items(),
		fakeapi.PoolsPath:      fakeapi.Items(),
		fakeapi.NamespacesPath: fakeapi.Items(),
		fakeapi.ManagedPath:    fakeapi.Items(),
		fakeapi.SecretsPath:    fakeapi.Items(),
		fakeapi.MapsPath:       fakeapi.Items(),
		"/api": fakeapi.Object{
			"kind":     "APIVersions",
			"versions": []any{"v1"},
		},
		"/api/v1": fakeapi.Object{"kind": "APIResourceList", "groupVersion": "v1"},
		"/apis":   fakeapi.Object{"kind": "APIGroupList"},
		"/api/v1/namespaces/clusters-kv-00/persistentvolumeclaims": fakeapi.Items(),
	}
	for name, tc := range map[string]struct {
		world map[string]any
		want  []string
		err   string
	}{
		"never heard of": {map[string]any{fakeapi.AllPath: fakeapi.Items(
			fakeapi.Object{"metadata": fakeapi.MetaOf("clusters", "other", nil)}, namesake)}, nil,
			`no hosted cluster "kv-00" in namespace "clusters"; there are: dev/kv-00, other`},
		"whole": {
			map[string]any{
				fakeapi.ClustersPath + "/kv-00": hc, fakeapi.ManagedPath +
					"/kv-00": imported(fakeapi.Object{hostedcluster.InfraLabel: "kv-00-abcde"}),
				fakeapi.NamespacesPath + "/clusters-kv-00": fakeapi.Object{"metadata": fakeapi.Object{"name": "clusters-kv-00",
					"labels": fakeapi.Object{controlPlaneLabel: "true"}}},
				fakeapi.PoolsPath: fakeapi.Items(fakeapi.Object{"metadata": fakeapi.MetaOf("clusters", "kv-00", nil),
					"spec": fakeapi.Object{"clusterName": "kv-00"}},
					fakeapi.Object{"metadata": fakeapi.MetaOf("clusters", "x", nil), "spec": fakeapi.Object{"clusterName": "x"}}),
			}, []string{"HostedCluster clusters/kv-00", "NodePool clusters/kv-00", "Namespace clusters-kv-00",
				"ManagedCluster kv-00"}, "",
		},
		"only Secrets left": {map[string]any{fakeapi.SecretsPath: fakeapi.Items(own)},
			[]string{"Secret clusters/kv-00-pull-secret"}, ""},
		"only a ManagedCluster of its name left": {map[string]any{fakeapi.ManagedPath + "/kv-00": imported(nil)}, nil,
			`no hosted cluster "kv-00" in namespace "clusters"; there is none at all`},
		"Secrets and ManagedCluster left": {
			map[string]any{fakeapi.ManagedPath + "/kv-00": imported(nil), fakeapi.SecretsPath: fakeapi.Items(own)},
			[]string{"ManagedCluster kv-00", "Secret clusters/kv-00-pull-secret"}, "",
		},
		"ManagedCluster of a namesake": {map[string]any{fakeapi.ManagedPath +
			"/kv-00": imported(fakeapi.Object{hostedcluster.InfraLabel: "kv-00-other"}), fakeapi.ClustersPath + "/kv-00": hc},
			[]string{"HostedCluster clusters/kv-00"}, ""},
		"older addon, namesake": {map[string]any{fakeapi.ManagedPath + "/kv-00": imported(nil),
			fakeapi.AllPath: fakeapi.Items(namesake), fakeapi.ClustersPath + "/kv-00": hc},
			[]string{"HostedCluster clusters/kv-00"}, ""},
		"someone's ManagedCluster": {map[string]any{fakeapi.ManagedPath +
			"/kv-00": fakeapi.Object{"metadata": fakeapi.Object{"name": "kv-00"}}, fakeapi.ClustersPath + "/kv-00": hc},
			[]string{"HostedCluster clusters/kv-00"}, ""},
		"a namespace not HyperShift's": {
			map[string]any{fakeapi.NamespacesPath +
				"/clusters-kv-00": fakeapi.Object{"metadata": fakeapi.Object{"name": "clusters-kv-00"}}, fakeapi.ClustersPath +
				"/kv-00": hc}, nil,
			"HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it is not a control plane's (it has no label hypershift.openshift.io/hosted-control-plane): nothing was deleted",
		},
		"a namespace not HyperShift's, HostedCluster gone": {
			map[string]any{fakeapi.NamespacesPath +
				"/clusters-kv-00": fakeapi.Object{"metadata": fakeapi.Object{"name": "clusters-kv-00"}},
				fakeapi.SecretsPath: fakeapi.Items(own)},
			[]string{"Secret clusters/kv-00-pull-secret"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := maps.Clone(nothing)
			maps.Copy(world, tc.world)
			d, err := Prepare(t.Context(), fakeapi.FakeAPI(t, world), "clusters", "kv-00", Defaults())
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
	if _, err := step.New((&Plan{}).Steps()...); err != nil {
		t.Fatal(err)
	}
}
