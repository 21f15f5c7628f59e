package deletion

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestPrepareDelete(t *testing.T) {
	own := hostedtest.Object{
		"metadata": hostedtest.MetaOf(
			"clusters",
			"kv-00-pull-secret",
			hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde", "app.kubernetes.io/managed-by": "hcctl"},
		),
	}
	imported := func(labels hostedtest.Object) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.Object{
				"name":        "kv-00",
				"labels":      labels,
				"annotations": hostedtest.Object{managedcluster.DeployModeAnnotation: "Hosted", managedcluster.CreatedViaAnnotation: "hypershift"},
			},
		}
	}
	hc := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00", nil),
		"spec":     hostedtest.Object{"infraID": "kv-00-abcde"},
	}
	namesake := hostedtest.Object{
		"metadata": hostedtest.MetaOf("dev", "kv-00", nil),
		"spec":     hostedtest.Object{"infraID": "kv-00-other"},
	}
	nothing := map[string]any{
		hostedtest.ClustersPath:   hostedtest.Items(),
		hostedtest.AllPath:        hostedtest.Items(),
		hostedtest.PoolsPath:      hostedtest.Items(),
		hostedtest.NamespacesPath: hostedtest.Items(),
		hostedtest.ManagedPath:    hostedtest.Items(),
		hostedtest.SecretsPath:    hostedtest.Items(),
		hostedtest.MapsPath:       hostedtest.Items(),
		"/api": hostedtest.Object{
			"kind":     "APIVersions",
			"versions": []any{"v1"},
		},
		"/api/v1": hostedtest.Object{"kind": "APIResourceList", "groupVersion": "v1"},
		"/apis":   hostedtest.Object{"kind": "APIGroupList"},
		"/api/v1/namespaces/clusters-kv-00/persistentvolumeclaims": hostedtest.Items(),
	}
	for name, tc := range map[string]struct {
		world map[string]any
		want  []string
		err   string
	}{
		"never heard of": {map[string]any{hostedtest.AllPath: hostedtest.Items(
			hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "other", nil)}, namesake)}, nil,
			`no hosted cluster "kv-00" in namespace "clusters"; there are: dev/kv-00, other`},
		"whole": {
			map[string]any{
				hostedtest.ClustersPath + "/kv-00": hc, hostedtest.ManagedPath +
					"/kv-00": imported(hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde"}),
				hostedtest.NamespacesPath + "/clusters-kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters-kv-00",
					"labels": hostedtest.Object{hostedcluster.ControlPlaneLabel: "true"}}},
				hostedtest.PoolsPath: hostedtest.Items(hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "kv-00", nil),
					"spec": hostedtest.Object{"clusterName": "kv-00"}},
					hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "x", nil), "spec": hostedtest.Object{"clusterName": "x"}}),
			}, []string{"HostedCluster clusters/kv-00", "NodePool clusters/kv-00", "Namespace clusters-kv-00",
				"ManagedCluster kv-00"}, "",
		},
		"only Secrets left": {map[string]any{hostedtest.SecretsPath: hostedtest.Items(own)},
			[]string{"Secret clusters/kv-00-pull-secret"}, ""},
		"only a ManagedCluster of its name left": {map[string]any{hostedtest.ManagedPath + "/kv-00": imported(nil)}, nil,
			`no hosted cluster "kv-00" in namespace "clusters"; there is none at all`},
		"Secrets and ManagedCluster left": {
			map[string]any{hostedtest.ManagedPath + "/kv-00": imported(nil), hostedtest.SecretsPath: hostedtest.Items(own)},
			[]string{"ManagedCluster kv-00", "Secret clusters/kv-00-pull-secret"}, "",
		},
		"ManagedCluster of a namesake": {map[string]any{hostedtest.ManagedPath +
			"/kv-00": imported(hostedtest.Object{hostedcluster.InfraLabel: "kv-00-other"}), hostedtest.ClustersPath + "/kv-00": hc},
			[]string{"HostedCluster clusters/kv-00"}, ""},
		"older addon, namesake": {map[string]any{hostedtest.ManagedPath + "/kv-00": imported(nil),
			hostedtest.AllPath: hostedtest.Items(namesake), hostedtest.ClustersPath + "/kv-00": hc},
			[]string{"HostedCluster clusters/kv-00"}, ""},
		"someone's ManagedCluster": {map[string]any{hostedtest.ManagedPath +
			"/kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "kv-00"}}, hostedtest.ClustersPath + "/kv-00": hc},
			[]string{"HostedCluster clusters/kv-00"}, ""},
		"a namespace not HyperShift's": {
			map[string]any{hostedtest.NamespacesPath +
				"/clusters-kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters-kv-00"}}, hostedtest.ClustersPath +
				"/kv-00": hc}, nil,
			"HyperShift's operator would remove Namespace clusters-kv-00 with HostedCluster clusters/kv-00, but it is not a control plane's (it has no label hypershift.openshift.io/hosted-control-plane): nothing was deleted",
		},
		"a namespace not HyperShift's, HostedCluster gone": {
			map[string]any{hostedtest.NamespacesPath +
				"/clusters-kv-00": hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters-kv-00"}},
				hostedtest.SecretsPath: hostedtest.Items(own)},
			[]string{"Secret clusters/kv-00-pull-secret"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := maps.Clone(nothing)
			maps.Copy(world, tc.world)
			d, err := Prepare(t.Context(), hostedtest.ReadOnly(t, world), "clusters", "kv-00", Defaults())
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
