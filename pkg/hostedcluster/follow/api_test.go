package follow

import (
	"context"
	"errors"
	"maps"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

func TestAPIAnswers(t *testing.T) {
	ready := hostedtest.Object{
		"kubeconfig": hostedtest.Object{"name": "kv-00-admin-kubeconfig"},
		"conditions": []any{hostedtest.Object{"type": "Available", "status": "True"}},
	}
	secret := hostedtest.Object{
		"data": hostedtest.Object{"kubeconfig": hostedtest.Encoded(kubetest.AdminKubeconfig("https://192.0.2.1:6443", nil))},
	}
	hostile := hostedtest.Object{
		"data": hostedtest.Object{"kubeconfig": hostedtest.Encoded(kubetest.TokenKubeconfig("http://192.0.2.1:6443", nil, "t"))},
	}
	for name, tc := range map[string]struct {
		world   map[string]any
		answers error
		want    string
	}{
		"gone": {nil, nil, "broken: HostedCluster clusters/kv-00: deleted while hcctl waited for it"},
		"no kubeconfig": {map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Live(ready)}, nil,
			"pending: Secret clusters/kv-00-admin-kubeconfig: the kubeconfig is not written yet"},
		"silent": {map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Live(ready), hostedtest.SecretsPath +
			"/kv-00-admin-kubeconfig": secret}, errors.New("no route to host"),
			"pending: HostedCluster clusters/kv-00: the operator says it is available, but from here it does not answer: no " +
				"route to host"},
		"answers": {map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Live(ready), hostedtest.SecretsPath +
			"/kv-00-admin-kubeconfig": secret}, nil, "ok: HostedCluster clusters/kv-00: the API server answers"},
		"refused": {
			map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Live(ready), hostedtest.SecretsPath +
				"/kv-00-admin-kubeconfig": hostile}, nil,
			"broken: Secret clusters/kv-00-admin-kubeconfig: key kubeconfig, clusters[0].cluster.server is refused: it is not a URL of the form https://HOST:PORT",
		},
		"terminal": {
			map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Live(
				hostedtest.Object{"conditions": []any{hostedtest.Object{"type": "ValidReleaseImage", "status": "False",
					"reason": "InvalidImage", "message": "no"}}})}, nil,
			"broken: HostedCluster clusters/kv-00: ValidReleaseImage False (InvalidImage): no",
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{hostedtest.ClustersPath: hostedtest.Items(), hostedtest.SecretsPath: hostedtest.Items()}
			maps.Copy(world, tc.world)
			follow := New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")
			follow.probe = func(_ context.Context, cfg *rest.Config) error {
				if cfg.Host != "https://192.0.2.1:6443" {
					t.Errorf("asked %s", cfg.Host)
				}
				return tc.answers
			}
			f := follow.withHostedCluster(follow.apiAnswers)(t.Context(), follow.client)
			hostedtest.Expect(t, f, tc.want)
			if (tc.answers != nil) != (f.Recheck > 0) {
				t.Errorf("asks again after %s; no watch tells when an endpoint answers", f.Recheck)
			}
		})
	}
}
