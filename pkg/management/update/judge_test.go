package update

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestTheClusterVersion(t *testing.T) {
	const cv = " ClusterVersion version: "
	for name, tc := range map[string]struct {
		said   []string
		target string
		want   []string
	}{
		"well":                       {nil, "4.21.0", []string{"clear" + cv + "4.20.3 is complete"}},
		"upgradeable":                {[]string{"Upgradeable True"}, "4.21.0", []string{"clear" + cv}},
		"not upgradeable":            {[]string{"Upgradeable False AdminAck read this"}, "4.21.0", []string{"blocked" + cv + "Upgradeable False (AdminAck): read this"}},
		"not upgradeable, a patch":   {[]string{"Upgradeable False AdminAck read this"}, "4.20.8", []string{"clear" + cv + "patches are not held up, another minor version is: Upgradeable False (AdminAck)"}},
		"not upgradeable, no target": {[]string{"Upgradeable False AdminAck x"}, "", []string{"blocked" + cv}},
		"perhaps upgradeable":        {[]string{"Upgradeable Unknown"}, "4.21.0", []string{"unknown" + cv + "Upgradeable Unknown"}},
		"failing":                    {[]string{"Failing True Bad worse"}, "4.20.8", []string{"blocked" + cv + "OpenShift 4.20.3 is failing (Bad): worse"}},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, judgeVersion(openShift(tc.said...), to(t, tc.target)), tc.want...)
		})
	}
	away := openShift()
	away.Status.Conditions = conditions("Available False", "Progressing True x working")
	expect(t, judgeVersion(away, to(t, "4.20.8")), "blocked"+cv+"Available False")
	away.Status.Conditions = conditions("Progressing True x working", "Available True")
	expect(t, judgeVersion(away, to(t, "4.20.8")), "blocked"+cv+"OpenShift 4.20.3 is being rolled out: working")
	away.Status.Conditions = nil
	expect(t, judgeVersion(away, to(t, "4.20.8")), "unknown"+cv+"Available not reported yet")
}

func TestClusterOperators(t *testing.T) {
	operator := func(name string, said ...string) configv1.ClusterOperator {
		co := configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
		co.Status.Conditions = conditions(said...)
		return co
	}
	well := operator("dns", "Available True", "Degraded False", "Upgradeable True")
	held := operator("olm", "Available True", "Upgradeable False Old too old")
	w := &snapshot{}
	w.operators.Items = []configv1.ClusterOperator{well}
	expect(t, w.judgeClusterOperators(to(t, "4.21.0")), "clear ClusterOperators: 1 is available")
	w.operators.Items = []configv1.ClusterOperator{well, held, operator("network", "Available True", "Degraded True x y"),
		operator("etcd", "Available False"), operator("new")}
	expect(t, w.judgeClusterOperators(to(t, "4.21.0")),
		"blocked ClusterOperator olm: Upgradeable False (Old): too old",
		"blocked ClusterOperator network: Degraded True (x): y", "blocked ClusterOperator etcd: Available False",
		"unknown ClusterOperator new: it has not reported yet")
	w.operators.Items = []configv1.ClusterOperator{held}
	expect(t, w.judgeClusterOperators(to(t, "4.20.8")), "clear ClusterOperator olm: patches are not held up")
	w.operators = management.List[configv1.ClusterOperator]{}
	expect(t, w.judgeClusterOperators(to(t, "4.20.8")), "unknown ClusterOperators: there are none")
	w.operators.Err = errors.New("no answer")
	expect(t, w.judgeClusterOperators(to(t, "4.20.8")), "unknown ClusterOperators: not read: no answer")
}

func TestMachineConfigPools(t *testing.T) {
	pool := func(name, spec, said string) unstructured.Unstructured {
		var list []string
		for _, c := range strings.Fields(said) {
			kind, status, _ := strings.Cut(c, "=")
			list = append(list, fmt.Sprintf(`{"type":%q,"status":%q,"reason":"R","message":"why"}`, kind, status))
		}
		return object(t, fmt.Sprintf(`{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool",
			"metadata":{"name":%q},"spec":{%s},"status":{"machineCount":3,"updatedMachineCount":1,
			"conditions":[%s]}}`, name, spec, strings.Join(list, ",")))
	}
	const paused, well = `"paused":true`, "Updated=True Updating=False Degraded=False"
	for name, tc := range map[string]struct {
		pool   unstructured.Unstructured
		target string
		want   string
	}{
		"well":                 {pool("worker", "", well), "4.21.0", "clear MachineConfigPools: 1 is updated"},
		"degraded":             {pool("worker", paused, "Updated=False Degraded=True"), "4.21.0", "blocked MachineConfigPool worker: Degraded True (R): why"},
		"updating":             {pool("worker", "", "Updated=False Updating=True Degraded=False"), "4.20.8", "blocked MachineConfigPool worker: its nodes are being updated: 1 of 3 are"},
		"paused":               {pool("worker", paused, well), "4.21.0", "blocked MachineConfigPool worker: it is paused: its nodes stay"},
		"paused for two steps": {pool("worker", paused, well), "4.22.1", "clear MachineConfigPools: paused, as the two steps ask for: worker"},
		"paused control plane": {pool("master", paused, well), "4.22.1", "blocked MachineConfigPool master: it is paused"},
		"paused with changes":  {pool("worker", paused, "Updated=False Updating=False"), "4.22.1", "blocked MachineConfigPool worker: it is paused with changes waiting"},
		"says nothing":         {pool("worker", "", ""), "4.21.0", "unknown MachineConfigPool worker: Updated not reported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &snapshot{}
			w.configPools.Items = []unstructured.Unstructured{tc.pool}
			expect(t, w.judgeConfigPools(to(t, tc.target)), tc.want)
		})
	}
	expect(t, (&snapshot{}).judgeConfigPools(to(t, "4.21.0")), "unknown MachineConfigPools: there are none")
}

func TestBudgets(t *testing.T) {
	w := &snapshot{}
	w.host("kv-00", "4.20.3")
	w.host("small", "4.20.3").Spec.ControllerAvailabilityPolicy = hyperv1.SingleReplica
	expect(t, w.judgeBudgets(), "clear PodDisruptionBudgets: each lets at least one pod go")
	vm := budget("vms", "kubevirt-disruption-budget-x", 0, 1)
	vm.Metadata.OwnerReferences = []metav1.OwnerReference{{Kind: "VirtualMachineInstance", Name: "x"}}
	stale := budget("b", "stale", 3, 3)
	stale.Status.ObservedGeneration = 0
	w.budgets.Items = []management.Budget{budget("a", "tight", 0, 2), budget("a", "wide", 1, 3), budget("a", "empty", 0, 0),
		vm,
		stale, budget("clusters-kv-00", "etcd", 0, 3), budget("clusters-small", "etcd", 0, 1)}
	got := w.judgeBudgets()
	expect(t, got,
		"blocked PodDisruptionBudget clusters-kv-00/etcd: it allows no disruption (3 of 3 pods healthy, 3 wanted): a node "+
			"with one of these pods cannot be drained; it is of the control plane of hosted cluster clusters/kv-00",
		"blocked PodDisruptionBudget clusters-small/etcd: it allows no disruption (1 of 1 pods healthy, 1 wanted): a node "+
			"with one of these pods cannot be drained; it is of the control plane of hosted cluster clusters/small, which has "+
			"a single replica of everything",
		"blocked PodDisruptionBudget a/tight: it allows no disruption (2 of 2 pods healthy, 2 wanted): a node with one of "+
			"these pods cannot be drained", "unknown PodDisruptionBudget b/stale")
	for _, f := range got[:3] {
		if f.Hint.String() == "" {
			t.Errorf("no hint: %+v", f)
		}
	}
	w.budgets.Err = errors.New("no answer")
	expect(t, w.judgeBudgets(), "unknown PodDisruptionBudgets: not read: no answer")
}

func TestRequests(t *testing.T) {
	count := func(name, removed string, n int64) requestCount {
		var c requestCount
		text := fmt.Sprintf(`{"metadata":{"name":%q},"status":{"removedInRelease":%q,"requestCount":%d,"last24h":[
			{"byNode":[{"byUser":[{"username":"ann","userAgent":"oc","requestCount":2},{"username":"b","requestCount":1}]},
			{"byUser":[{"username":"c","userAgent":"x","requestCount":9},{"username":"d","requestCount":1}]}]}]}}`, name, removed, n)
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	w := &snapshot{}
	w.requests.Items = []requestCount{count("pods.v1", "", 9), count("gone.v1", "1.33", 9), count("next.v1", "1.34", 13),
		count("later.v1", "1.35", 9), count("unused.v1", "1.34", 0), count("odd.v1", "2.0", 1)}
	const next = "blocked APIRequestCount next.v1: Kubernetes 1.34 no longer serves it, and it was asked for 13 times in the " +
		"last 24 hours, by c (x), ann (oc), b () and 1 more"
	const odd = `unknown APIRequestCount odd.v1: it is in use, and status.removedInRelease cannot be read: "2.0"`
	expect(t, w.judgeRequests(to(t, "4.21.0")), next, odd)
	expect(t, w.judgeRequests(to(t, "")), next, odd)
	expect(t, w.judgeRequests(to(t, "4.22.1")), next, "blocked APIRequestCount later.v1: Kubernetes 1.35 no longer", odd)
	expect(t, w.judgeRequests(to(t, "4.20.8")), "clear APIRequestCounts: a patch removes no API")
	w.requests.Items = w.requests.Items[:2]
	expect(t, w.judgeRequests(to(t, "4.21.0")), "clear APIRequestCounts: no API was asked for")
	w.requests.Items = nil
	expect(t, w.judgeRequests(to(t, "4.21.0")), "unknown APIRequestCounts: there are none")
	w.requests.Err = errors.New("no answer")
	expect(t, w.judgeRequests(to(t, "4.21.0")), "unknown APIRequestCounts: not read: no answer")
}

func TestBundles(t *testing.T) {
	property := func(value string) string {
		return `{"properties":[{"type":"olm.gvk","value":{}},{"type":"olm.maxOpenShiftVersion","value":` + value + `}]}`
	}
	const csv = " ClusterServiceVersion ns/x.v1: "
	for name, tc := range map[string]struct{ annotation, target, want string }{
		"none":            {"", "4.21.0", "clear ClusterServiceVersions: none of 1 says that it is not for OpenShift 4.21"},
		"too old":         {property(`"4.20"`), "4.21.0", "blocked" + csv + "it is for OpenShift up to 4.20"},
		"as a number":     {property(`4.20`), "4.21.0", "blocked" + csv + "it is for OpenShift up to 4.20"},
		"just so":         {property(`"4.21"`), "4.21.0", "clear ClusterServiceVersions"},
		"the second step": {property(`"4.21"`), "4.22.1", "blocked" + csv + "it is for OpenShift up to 4.21"},
		"a patch":         {property(`"4.20"`), "4.20.8", "clear ClusterServiceVersions: a patch asks none of them"},
		"any target":      {property(`"4.20"`), "", "blocked" + csv},
		"5.0 is 4.23":     {property(`"5.0"`), "4.21.0", "clear ClusterServiceVersions"},
		"no version":      {property(`"new"`), "4.21.0", `blocked` + csv + `its olm.maxOpenShiftVersion cannot be read: "new"`},
		"a patch in it":   {property(`"4.20.1"`), "4.21.0", `blocked` + csv + `its olm.maxOpenShiftVersion cannot be read`},
		"no JSON":         {"{", "4.21.0", "blocked" + csv + "the annotation operatorframework.io/properties cannot be read"},
		"twice": {`{"properties":[{"type":"olm.maxOpenShiftVersion","value":"4.21"},
			{"type":"olm.maxOpenShiftVersion","value":"4.22"}]}`, "4.21.0", "blocked" + csv + "it has more than one"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &snapshot{}
			w.install("ns", "x.v1", "1.0.0", "")
			w.bundles.Items[0].Metadata.Annotations = map[string]string{propertiesAnnotation: tc.annotation}
			expect(t, w.judgeBundles(to(t, tc.target)), tc.want)
		})
	}
}

func TestHostedClusters(t *testing.T) {
	supported := []string{"4.20", "4.19", "4.18", "4.17", "4.16"}
	for name, tc := range map[string]struct {
		version string
		pools   []string
		target  string
		want    []string
	}{
		"current":     {"4.20.3", []string{"4.20.3", "4.17.1"}, "4.21.0", []string{"clear HostedClusters: 1 is complete, and at most 2 minor versions behind OpenShift 4.21"}},
		"two behind":  {"4.19.3", nil, "4.21.0", []string{"clear HostedClusters"}},
		"left out":    {"4.18.9", nil, "4.21.0", []string{"blocked HostedCluster clusters/kv-00: it runs 4.18.9: OpenShift 4.21 would leave it out of support"}},
		"a patch":     {"4.18.9", nil, "4.20.8", []string{"clear HostedClusters"}},
		"no target":   {"4.16.9", nil, "", []string{"clear HostedClusters: 1 is complete"}},
		"unsupported": {"4.15.9", nil, "", []string{"blocked HostedCluster clusters/kv-00: it runs 4.15.9, and HyperShift's operator supports 4.20, 4.19, 4.18, 4.17, 4.16"}},
		"no version":  {"", nil, "4.21.0", []string{"unknown HostedCluster clusters/kv-00: it does not report its version yet"}},
		"skew":        {"4.20.3", []string{"4.16.2"}, "4.20.8", []string{"blocked NodePool clusters/kv-00-4.16.2: it runs 4.16.2, and its control plane runs 4.20.3, and a pool may be 3"}},
		"newer pool":  {"4.20.3", []string{"4.20.4"}, "4.20.8", []string{"blocked NodePool clusters/kv-00-4.20.4: it runs 4.20.4, and its control plane runs 4.20.3"}},
		"skew to come": {"4.18.3", []string{"4.15.2"}, "4.22.1", []string{"blocked HostedCluster clusters/kv-00: it runs 4.18.3",
			"blocked NodePool clusters/kv-00-4.15.2: it runs 4.15.2, and its control plane has to go to 4.20"}},
		"pool without version": {"4.20.3", []string{""}, "4.21.0", []string{"unknown NodePool clusters/kv-00-: it does not report"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &snapshot{}
			w.supported.Items = supported
			w.host("kv-00", tc.version, tc.pools...)
			expect(t, w.judgeHosted(to(t, tc.target)), tc.want...)
		})
	}
	w := &snapshot{}
	expect(t, w.judgeHosted(to(t, "4.21.0")), "clear HostedClusters: there is none")
	w.host("kv-00", "4.20.3").Status.Version.History[0].State = configv1.PartialUpdate
	w.supported.Err, w.pools.Err = errors.New("no answer"), errors.New("no answer")
	expect(t, w.judgeHosted(to(t, "4.21.0")), "unknown ConfigMap hypershift/supported-versions: not read: no answer",
		"unknown NodePools: not read", "blocked HostedCluster clusters/kv-00: its control plane is on the way to 4.20.3")
	w.hosted.Err = errors.New("no answer")
	expect(t, w.judgeHosted(to(t, "4.21.0")), "unknown HostedClusters: not read: no answer")
}

// The gravest finding decides, and it comes first.
func TestThePlan(t *testing.T) {
	w := &snapshot{version: offered(openShift("Upgradeable False AdminAck ack"), "4.20.8", "4.21.1")}
	w.operators.Items = []configv1.ClusterOperator{{Status: configv1.ClusterOperatorStatus{
		Conditions: conditions("Available True")}}}
	w.configPools.Items = []unstructured.Unstructured{object(t, `{"status":{"conditions":[{"type":"Updated",
		"status":"True"}]}}`)}
	for target, want := range map[string]step.State{"4.21.1": step.StateFailing, "4.20.8": step.StateOK,
		"": step.StateFailing, "4.20.9": step.StateUnknown} {
		w.requests.Items = []requestCount{{}}
		p, err := w.plan(target)
		if err != nil || step.State(p.Verdict) != want || p.Findings[0].State != want || p.Version != "4.20.3" ||
			p.Channel != "stable-4.20" || len(p.Offers) != 2 {
			t.Errorf("%s: %v, %+v", target, err, p)
		}
		if target == "" && p.Target != "4.21.1" {
			t.Errorf("the newest on offer is 4.21.1, not %s", p.Target)
		}
	}
	w.version.Status.AvailableUpdates = nil
	if p, err := w.plan(""); err != nil || p.Target != "" || len(p.Order) != 0 ||
		step.State(p.Verdict) != step.StateFailing {
		t.Errorf("no target: %v, %+v", err, p)
	}
	if _, err := w.plan("4.19.1"); err == nil {
		t.Error("a plan back to an older version")
	}
}
