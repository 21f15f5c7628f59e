package follow

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

const (
	hostedClusterPath = hostedtest.ClustersPath + "/kv-00"
	adminSecretPath   = hostedtest.SecretsPath + "/kv-00-admin-kubeconfig"
)

// management is a management cluster with the hosted cluster clusters/kv-00 and its API server.
type management struct {
	*hostedtest.World
	server              *httptest.Server
	services, operators *kubetest.Server
	// readyz is the status of the hosted API server's /readyz.
	readyz int
}

// manage has a hosted cluster whose control plane is available, with these changes.
func manage(t *testing.T, edits ...func(*hyperv1.HostedCluster)) *management {
	t.Helper()
	m := &management{
		World: hostedtest.NewWorld(t), readyz: http.StatusOK, services: kubetest.New("v1", "Service", "services"),
		operators: kubetest.New("config.openshift.io/v1", "ClusterOperator", "clusteroperators"),
	}
	var kubeconfig string
	m.server, kubeconfig = kubetest.Hosted(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/readyz":
			w.WriteHeader(m.readyz)
		case m.services.Serves(r):
			m.services.ServeHTTP(w, r)
		default:
			m.operators.ServeHTTP(w, r)
		}
	}))
	m.Set("Secret", hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00-admin-kubeconfig", nil),
		"data":     hostedtest.Object{"kubeconfig": hostedtest.Encoded(kubeconfig)},
	})
	hc := hostedtest.Cluster(
		hostedtest.Row{"ValidConfiguration", "True"}, hostedtest.Row{"ValidReleaseImage", "True"},
		hostedtest.Row{"InfrastructureReady", "True"}, hostedtest.Row{"EtcdAvailable", "True"}, hostedtest.Row{"Available", "True"},
	)
	hc.Name, hc.Spec.InfraID, hc.Spec.DNS.BaseDomain = "kv-00", "kv-00-abcde", "apps.mgmt.example.com"
	hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{BaseDomainPassthrough: ptr.To(true)}
	hc.Status.KubeConfig = &corev1.LocalObjectReference{Name: "kv-00-admin-kubeconfig"}
	for _, edit := range edits {
		edit(hc)
	}
	m.Of("HostedCluster").Put(hc)
	return m
}

// condition changes or adds a condition.
func condition(row hostedtest.Row) func(*hyperv1.HostedCluster) {
	return func(hc *hyperv1.HostedCluster) {
		fresh := hostedtest.Cluster(row).Status.Conditions[0]
		for i := range hc.Status.Conditions {
			if hc.Status.Conditions[i].Type == fresh.Type {
				hc.Status.Conditions[i] = fresh
				return
			}
		}
		hc.Status.Conditions = append(hc.Status.Conditions, fresh)
	}
}

// history has these updates, the last one first; one that ends in "?" is not completed.
func history(versions ...string) func(*hyperv1.HostedCluster) {
	return func(hc *hyperv1.HostedCluster) {
		hc.Status.Version = &hyperv1.ClusterVersionStatus{}
		for _, v := range versions {
			update := configv1.UpdateHistory{Version: v, State: configv1.CompletedUpdate}
			if v[len(v)-1] == '?' {
				update = configv1.UpdateHistory{Version: v[:len(v)-1], State: configv1.PartialUpdate}
			}
			hc.Status.Version.History = append(hc.Status.Version.History, update)
		}
	}
}

func goes(hc *hyperv1.HostedCluster) { hc.DeletionTimestamp = ptr.To(metav1.Now()) }

// refused has a kubeconfig that hcctl does not use.
func (m *management) refused() {
	m.Set("Secret", hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00-admin-kubeconfig", nil),
		"data":     hostedtest.Object{"kubeconfig": hostedtest.Encoded(kubetest.TokenKubeconfig("http://192.0.2.1:6443", nil, "t"))},
	})
}

// expect fails unless the finding of a step has the state and the words.
func expect(t *testing.T, steps []step.Step, id step.ID, state step.State, words ...string) step.Finding {
	t.Helper()
	f := steptest.Check(t, steps, id)
	steptest.Expect(t, f, state, words...)
	return f
}

// does fails unless the step's Apply makes that change.
func does(t *testing.T, steps []step.Step, id step.ID, want step.Change) {
	t.Helper()
	if change, err := steptest.Find(t, steps, id).Apply(t.Context()); err != nil || change != want {
		t.Errorf("%s: %q, %v, want %q", id, change, err, want)
	}
}

// ago is a time in an object's metadata.
func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }
