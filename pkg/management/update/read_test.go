package update

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

type node = kubetest.Object

const (
	versionPath  = "/apis/config.openshift.io/v1/clusterversions/version"
	operatorPath = "/apis/config.openshift.io/v1/clusteroperators"
	poolPath     = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
	budgetPath   = "/apis/policy/v1/poddisruptionbudgets"
	requestPath  = "/apis/apiserver.openshift.io/v1/apirequestcounts"
	bundlePath   = "/apis/operators.coreos.com/v1alpha1/clusterserviceversions"
	subPath      = "/apis/operators.coreos.com/v1alpha1/subscriptions"
	hostedPath   = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	nodePoolPath = "/apis/hypershift.openshift.io/v1beta1/nodepools"
	configPath   = "/api/v1/namespaces/hypershift/configmaps/supported-versions"
)

func is(kind, status string) node { return node{"type": kind, "status": status} }

// wellWorld is a management cluster that is in the way of nothing.
func wellWorld() map[string]any {
	return map[string]any{
		versionPath: node{"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
			"metadata": node{"name": "version"}, "spec": node{"channel": "stable-4.20"},
			"status": node{"desired": node{"version": "4.20.3"}, "conditions": []any{is("Available", "True")},
				"availableUpdates": []any{node{"version": "4.21.1"}},
				"history":          []any{node{"state": "Completed", "version": "4.20.3"}}}},
		operatorPath: []any{node{"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator",
			"metadata": node{"name": "dns"}, "status": node{"conditions": []any{
				is("Available", "True")}}}},
		poolPath: []any{node{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool",
			"metadata": node{"name": "worker"}, "status": node{"conditions": []any{is("Updated", "True")}}}},
		budgetPath: []any{node{"metadata": node{"namespace": "a", "name": "b"}, "status": node{
			"disruptionsAllowed": 1, "expectedPods": 3}}},
		requestPath: []any{node{"metadata": node{"name": "pods.v1"}, "status": node{"requestCount": 3}}},
		bundlePath:  []any{}, subPath: []any{}, nodePoolPath: []any{},
		hostedPath: []any{node{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
			"metadata": node{"namespace": "clusters", "name": "kv-00"}, "status": node{
				"version": node{"desired": node{"version": "4.20.3", "image": "x"}, "observedGeneration": 1,
					"history": []any{node{"state": "Completed", "version": "4.20.3", "image": "x"}}}}}},
		configPath: node{"apiVersion": "v1", "kind": "ConfigMap", "data": node{
			"supported-versions": `{"versions":["4.20","4.19"]}`}},
	}
}

func plan(t *testing.T, answers map[string]any, target string, asked func(*http.Request)) (*Plan, error) {
	t.Helper()
	api := kubetest.ServePaths(t, answers)
	api.Answer = func(_ http.ResponseWriter, r *http.Request) bool {
		if asked != nil {
			asked(r)
		}
		return false
	}
	return Of(t.Context(), api.Client, target)
}

func TestOfReadsEachThingOnce(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	p, err := plan(t, wellWorld(), "4.21.1", func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked[r.URL.Path]++; r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if selector := r.URL.Query().Get("labelSelector"); r.URL.Path == bundlePath && selector != "!olm.copiedFrom" {
			t.Errorf("copies of ClusterServiceVersions are read: %q", selector)
		}
	})
	if err != nil || step.State(p.Verdict) != step.StateOK || p.Target != "4.21.1" {
		t.Fatalf("%v\n%s", err, told(p.Findings))
	}
	for path := range wellWorld() {
		if asked[path] != 1 {
			t.Errorf("%s is asked for %d times", path, asked[path])
		}
	}
}

// Whatever cannot be read is unknown, and no plan with it is clear.
func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	for path, object := range map[string]string{operatorPath: "ClusterOperators", poolPath: "MachineConfigPools",
		budgetPath: "PodDisruptionBudgets", requestPath: "APIRequestCounts", bundlePath: "ClusterServiceVersions",
		subPath: "multicluster engine", hostedPath: "HostedClusters", nodePoolPath: "NodePools",
		configPath: "ConfigMap hypershift/supported-versions"} {
		answers := wellWorld()
		answers[path] = http.StatusForbidden
		p, err := plan(t, answers, "4.21.1", nil)
		if err != nil || step.State(p.Verdict) != step.StateUnknown {
			t.Errorf("%s: %v, %+v", path, err, p)
			continue
		}
		if !strings.Contains(told(p.Findings), "unknown "+object+": not read: not allowed: ") {
			t.Errorf("%s:\n%s", path, told(p.Findings))
		}
	}
}

func TestWithoutAClusterVersion(t *testing.T) {
	answers := wellWorld()
	answers[versionPath] = http.StatusForbidden
	if _, err := plan(t, answers, "", nil); err == nil || !kube.IsNotPermitted(errors.Unwrap(err)) {
		t.Errorf("%v", err)
	}
	delete(answers, versionPath)
	if _, err := plan(t, answers, "", nil); err == nil || !strings.Contains(err.Error(), "not OpenShift") {
		t.Errorf("%v", err)
	}
	if _, err := plan(t, wellWorld(), "new", nil); err == nil || !strings.Contains(err.Error(), "not a version") {
		t.Errorf("%v", err)
	}
}

// A cluster without OLM, HyperShift, APIRequestCounts and MachineConfigPools has nothing of them in the way, but what
// cannot be told without them stays unknown.
func TestKindsThatAreNotThere(t *testing.T) {
	answers := wellWorld()
	for _, path := range []string{poolPath, requestPath, bundlePath, subPath, hostedPath, nodePoolPath} {
		delete(answers, path)
	}
	p, err := plan(t, answers, "4.21.1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"unknown APIRequestCounts", "unknown MachineConfigPools",
		"clear ClusterServiceVersions: the cluster has no Operator Lifecycle Manager", "clear HostedClusters: there is none",
		"clear Subscriptions: none"} {
		if !strings.Contains(told(p.Findings), want) {
			t.Errorf("%s is missing:\n%s", want, told(p.Findings))
		}
	}
}
