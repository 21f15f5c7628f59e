package hostedcluster

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/apitest"
	"github.com/hcctl/hcctl/pkg/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestStepsFollowAsFarAsAsked(t *testing.T) {
	const objects = 7
	for wait, want := range map[Wait][]step.ID{
		WaitNone:     nil,
		WaitAPI:      {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api"},
		WaitNodes:    {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api", "cluster/machines", "cluster/nodes", "cluster/advice"},
		WaitComplete: {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api", "cluster/machines", "cluster/nodes", "cluster/rollout", "cluster/advice"},
	} {
		p := &Plan{Options: named(func(o *Options) { o.Wait = wait }), Inputs: inputs()}
		steps := p.Steps()
		if _, err := step.New(steps...); err != nil {
			t.Fatal(err)
		}
		var got []step.ID
		for _, s := range steps[objects:] {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("--wait %s: %s", wait, diff)
		}
	}
}

func TestDeletionStepsFormAGraph(t *testing.T) {
	if _, err := step.New((&Deletion{}).Steps()...); err != nil {
		t.Fatal(err)
	}
}

// live is a HostedCluster as the API server gives it.
func live(status object) object {
	return object{"metadata": metaOf("clusters", "kv-00", nil), "status": status}
}

func TestAPIAnswers(t *testing.T) {
	ready := object{
		"kubeconfig": object{"name": "kv-00-admin-kubeconfig"},
		"conditions": []any{object{"type": "Available", "status": "True"}},
	}
	secret := object{"data": object{"kubeconfig": encoded(apitest.AdminKubeconfig("https://192.0.2.1:6443", nil))}}
	hostile := object{"data": object{"kubeconfig": encoded(apitest.TokenKubeconfig("http://192.0.2.1:6443", nil, "t"))}}
	for name, tc := range map[string]struct {
		world   map[string]any
		answers error
		want    string
	}{
		"gone":          {nil, nil, "broken: HostedCluster clusters/kv-00: deleted by someone while it was waited for"},
		"no kubeconfig": {map[string]any{clustersPath + "/kv-00": live(ready)}, nil, "pending: Secret clusters/kv-00-admin-kubeconfig: the kubeconfig is not written yet"},
		"silent":        {map[string]any{clustersPath + "/kv-00": live(ready), secretsPath + "/kv-00-admin-kubeconfig": secret}, errors.New("no route to host"), "pending: HostedCluster clusters/kv-00: the operator says it is available, but from here it does not answer: no route to host"},
		"answers":       {map[string]any{clustersPath + "/kv-00": live(ready), secretsPath + "/kv-00-admin-kubeconfig": secret}, nil, "ok: HostedCluster clusters/kv-00: the API server answers"},
		"refused": {
			map[string]any{clustersPath + "/kv-00": live(ready), secretsPath + "/kv-00-admin-kubeconfig": hostile}, nil,
			"broken: Secret clusters/kv-00-admin-kubeconfig: key kubeconfig, clusters[0].cluster.server is refused: it is no URL of the form https://HOST:PORT",
		},
		"terminal": {
			map[string]any{clustersPath + "/kv-00": live(object{"conditions": []any{object{"type": "ValidReleaseImage", "status": "False", "reason": "InvalidImage", "message": "no"}}})}, nil,
			"broken: HostedCluster clusters/kv-00: ValidReleaseImage False (InvalidImage): no",
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{clustersPath: items(), secretsPath: items()}
			maps.Copy(world, tc.world)
			follow := Follow(fakeAPI(t, world), "clusters", "kv-00")
			follow.answers = func(_ context.Context, access *adminkubeconfig.Access) error {
				if access.Server() != "https://192.0.2.1:6443" {
					t.Errorf("asked with %s", access)
				}
				return tc.answers
			}
			f := follow.following(follow.apiAnswers)(t.Context())
			expect(t, f, tc.want)
			if (tc.answers != nil) != (f.Recheck > 0) {
				t.Errorf("asks again after %s; no watch tells when an endpoint answers", f.Recheck)
			}
		})
	}
}

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

func TestClusters(t *testing.T) {
	clusters, err := Clusters(t.Context(), fakeAPI(t, map[string]any{allPath: items(live(nil), object{"metadata": metaOf("dev", "new", nil)})}), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(clusters) != 2 || clusters[0].Name != "kv-00" || clusters[1].Namespace != "dev" {
		t.Errorf("got %v", clusters)
	}
	var missing *NotInstalledError
	if _, err := Clusters(t.Context(), fakeAPI(t, nil), "clusters"); !errors.As(err, &missing) {
		t.Errorf("without HyperShift: %v", err)
	}
}
