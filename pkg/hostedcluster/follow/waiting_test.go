package follow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// waitedFor is a management cluster of which nothing but a hosted cluster is known, whose operator comes no further.
func waitedFor(status hostedtest.Object) []*kubetest.Server {
	const hypershift = "hypershift.openshift.io/v1beta1"
	clusters, pools := kubetest.New(
		hypershift,
		"HostedCluster",
		"hostedclusters",
	), kubetest.New(
		hypershift,
		"NodePool",
		"nodepools",
	)
	secrets := kubetest.New("v1", "Secret", "secrets")
	clusters.Set(
		hostedtest.Object{
			"apiVersion": hypershift,
			"kind":       "HostedCluster",
			"metadata":   hostedtest.MetaOf("clusters", "kv-00", nil),
			"status":     status,
		},
	)
	pools.Set(
		hostedtest.Object{
			"apiVersion": hypershift,
			"kind":       "NodePool",
			"metadata":   hostedtest.MetaOf("clusters", "kv-00", nil),
			"spec":       hostedtest.Object{"clusterName": "kv-00", "replicas": 2},
		},
	)
	secrets.Set(
		hostedtest.Object{
			"apiVersion": "v1",
			"kind":       "Secret",
			"metadata":   hostedtest.MetaOf("clusters", "kv-00-admin-kubeconfig", nil),
			"data":       hostedtest.Object{"kubeconfig": hostedtest.Encoded(kubetest.AdminKubeconfig("https://192.0.2.1:6443", nil))},
		},
	)
	return []*kubetest.Server{
		clusters,
		pools,
		secrets,
		kubetest.New("v1", "Pod", "pods"),
		kubetest.New("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
		kubetest.New("kubevirt.io/v1", "VirtualMachine", "virtualmachines"),
	}
}

func areTrue(types ...string) []any {
	var conditions []any
	for _, t := range types {
		conditions = append(conditions, hostedtest.Object{"type": t, "status": "True"})
	}
	return conditions
}

// Wherever a hosted cluster gets stuck, twenty minutes of waiting for it cost less than a request a minute, those
// before it begins to wait included, of a server that sends no bookmarks: what is read is read once, and then watched.
func TestTwentyMinutesOfWaiting(t *testing.T) {
	t.Parallel()
	ready := hostedtest.Object{
		"kubeconfig": hostedtest.Object{"name": "kv-00-admin-kubeconfig"},
		"conditions": areTrue("ValidConfiguration", "ValidReleaseImage", "InfrastructureReady", "EtcdAvailable", "Available"),
	}
	silent := errors.New("no route to host")
	for _, tc := range []struct {
		at      step.ID
		status  hostedtest.Object
		answers error
		// first are the requests until it waits: each object is read once, and listed and watched.
		first int
	}{
		{acceptedStep, hostedtest.Object{}, nil, 3},
		{infrastructureStep, hostedtest.Object{"conditions": areTrue("ValidConfiguration", "ValidReleaseImage")}, nil, 9},
		{etcdStep, hostedtest.Object{"conditions": areTrue("ValidConfiguration", "ValidReleaseImage", "InfrastructureReady")},
			nil, 9},
		{APIStep, ready, silent, 12},
		{machinesStep, ready, nil, 10},
	} {
		t.Run(string(tc.at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				servers := waitedFor(tc.status)
				c, err := kube.New(kubetest.Together(servers...))
				if err != nil {
					t.Fatal(err)
				}
				requests := func() (all []string) {
					for _, s := range servers {
						all = append(all, s.Requests()...)
					}
					return all
				}
				mirror, glance := c.NewInformers(t.Context()), informer.NewSharedReads(t.Context())
				defer mirror.Close()
				follow := New(c, "clusters", "kv-00")
				follow.probe = func(context.Context, *rest.Config) error { return tc.answers }
				graph, err := step.New(follow.Steps(options.WaitNodes)...)
				if err != nil {
					t.Fatal(err)
				}
				var first []string
				go func() {
					<-time.After(10 * time.Second) // virtual
					first = requests()
				}()
				report := graph.Run(t.Context(), step.Options{
					Timeout: 20 * time.Minute, BeforeWrite: glance.End, Explain: kube.Explain,
					ReadCache: func(ctx context.Context) step.Reads { return glance.Cache(ctx) },
					Watch:     func() step.Watch { glance.End(); return mirror.Watch() },
				})
				for _, r := range report.Results {
					if (r.Outcome == step.OutcomeTimedOut) != (r.Step.ID == tc.at) {
						t.Errorf("%s: %s %v", r.Step.ID, r.Outcome, r.Finding)
					}
				}
				if len(first) != tc.first {
					t.Errorf("%d requests until it waits, want %d:\n%s", len(first), tc.first, strings.Join(first, "\n"))
				}
				all := requests()
				if len(all) >= 20 {
					t.Errorf("%d requests in 20 minutes:\n%s", len(all), strings.Join(all, "\n"))
				}
				t.Logf("%d requests until it waits, %d more in 20 minutes", len(first), len(all)-len(first))
			})
		})
	}
}
