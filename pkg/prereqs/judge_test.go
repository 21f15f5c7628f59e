package prereqs

import (
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	addonv1alpha1 "open-cluster-management.io/api/addon/v1alpha1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func expect(t *testing.T, f step.Finding, state step.State, says string) {
	t.Helper()
	if f.State != state || !strings.Contains(f.Message, says) {
		t.Errorf("got %+v, want %s with %q", f, state, says)
	}
}

func TestJudgeClusterVersion(t *testing.T) {
	with := func(version string, conditions ...configv1.ClusterOperatorStatusCondition) *configv1.ClusterVersion {
		cv := &configv1.ClusterVersion{}
		cv.Status.Conditions = conditions
		if version != "" {
			cv.Status.History = []configv1.UpdateHistory{{State: configv1.PartialUpdate, Version: "4.99.0"}, {State: configv1.CompletedUpdate, Version: version}}
		}
		return cv
	}
	yes := func(t configv1.ClusterStatusConditionType) configv1.ClusterOperatorStatusCondition {
		return configv1.ClusterOperatorStatusCondition{Type: t, Status: configv1.ConditionTrue, Message: "words"}
	}
	bare := with("4.20.3")
	bare.Status.Capabilities.KnownCapabilities = []configv1.ClusterVersionCapability{configv1.ClusterVersionCapabilityMarketplace}
	for name, tc := range map[string]struct {
		cv   *configv1.ClusterVersion
		want step.State
		says string
	}{
		"supported":       {with("4.20.3"), step.OK, "4.20.3"},
		"preview":         {with("4.12.45"), step.OK, "Technology Preview"},
		"too old":         {with("4.11.9"), step.Broken, "4.12"},
		"upgrading":       {with("4.20.3", yes("Progressing")), step.Pending, "words"},
		"failing":         {with("4.20.3", yes("Failing")), step.Pending, "words"},
		"no version":      {with(""), step.Pending, "does not tell"},
		"no marketplace":  {bare, step.Broken, "marketplace"},
		"odd but present": {with("4.21.0-rc.1"), step.OK, "4.21.0-rc.1"},
	} {
		t.Run(name, func(t *testing.T) { expect(t, judgeClusterVersion(tc.cv), tc.want, tc.says) })
	}
}

func TestJudgeClusterOperators(t *testing.T) {
	operator := func(name string, available, degraded configv1.ConditionStatus) configv1.ClusterOperator {
		co := configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
		co.Status.Conditions = []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorDegraded, Status: degraded, Message: "sick"}, {Type: configv1.OperatorAvailable, Status: available, Message: "gone"}}
		return co
	}
	expect(t, judgeClusterOperators([]configv1.ClusterOperator{operator("ingress", "True", "False"), operator("insights", "False", "True")}), step.OK, "1 that hosted clusters rest on")
	expect(t, judgeClusterOperators([]configv1.ClusterOperator{operator("dns", "True", "True"), operator("ingress", "True", "False")}), step.Missing, "sick")
	expect(t, judgeClusterOperators([]configv1.ClusterOperator{operator("dns", "True", "True"), operator("ingress", "False", "False")}), step.Pending, "gone")
}

func worker(name string, ready bool, edit func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	if edit != nil {
		edit(&n)
	}
	return n
}

func TestJudgeWorkers(t *testing.T) {
	cordon := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	taint := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	a, b := worker("a", true, nil), worker("b", true, nil)
	for name, tc := range map[string]struct {
		third corev1.Node
		want  step.State
		says  string
	}{
		"ready":         {worker("c", true, nil), step.OK, "3 workers"},
		"for storage":   {worker("c", true, taint(storageTaint)), step.OK, "3 workers"},
		"not ready":     {worker("c", false, taint("node.kubernetes.io/not-ready")), step.Pending, "not ready: c"},
		"cordoned":      {worker("c", true, cordon), step.Missing, "2 schedulable workers"},
		"control plane": {worker("c", true, taint("node-role.kubernetes.io/master")), step.Missing, "2 schedulable workers"},
	} {
		t.Run(name, func(t *testing.T) { expect(t, judgeWorkers([]corev1.Node{a, b, tc.third}), tc.want, tc.says) })
	}
}

func TestJudgeKVM(t *testing.T) {
	able := func(n *corev1.Node) {
		n.Status.Allocatable = corev1.ResourceList{kvmResource: resource.MustParse("1000")}
	}
	none := func(n *corev1.Node) { n.Status.Allocatable = corev1.ResourceList{kvmResource: resource.MustParse("0")} }
	expect(t, judgeKVM([]corev1.Node{worker("a", true, able), worker("b", true, able)}), step.OK, "all 2 workers")
	expect(t, judgeKVM([]corev1.Node{worker("a", true, able), worker("b", true, none)}), step.OK, "1 of 2 workers offer it; none of: b")
	expect(t, judgeKVM([]corev1.Node{worker("a", true, none), worker("b", true, nil)}), step.Pending, "no worker offers")
}

func TestJudgeNetwork(t *testing.T) {
	expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OVNKubernetes", ClusterNetworkMTU: 8900}), step.OK, "MTU 8900")
	expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OVNKubernetes", ClusterNetworkMTU: 1400}), step.OK, "jumbo frames")
	expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OpenShiftSDN"}), step.Broken, "OpenShiftSDN")
	expect(t, judgeNetwork(configv1.NetworkStatus{}), step.Pending, "not reported")
}

func TestReadPullSecret(t *testing.T) {
	for raw, want := range map[string]string{
		``:             "has no key",
		`{`:            "is not JSON",
		`{"auths":{}}`: `has no "auths"`,
		`{"auths":{"quay.io":{"auth":"c2VjcmV0"}}}`: "the auth of quay.io is not base64 of user:password",
		`{"auths":{"quay.io":{"auth":"!"}}}`:        "the auth of quay.io is not base64 of user:password",
	} {
		if _, err := readPullSecret([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
	}
	got, err := readPullSecret([]byte(`{"auths":{"registry.redhat.io":{"auth":"YTpi"},"quay.io":{"auth":"YTpi"}}}`))
	if err != nil || strings.Join(got, " ") != "quay.io registry.redhat.io" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestJudgeHyperConvergedAndMetalLB(t *testing.T) {
	one := func(kind kube.Kind, name string, conditions ...any) []unstructured.Unstructured {
		u := object(kind, "ns", name, map[string]any{})
		u.Object["status"] = map[string]any{"conditions": conditions}
		return []unstructured.Unstructured{*u}
	}
	good := []any{condition("ReconcileComplete", "True", "", ""), condition("Available", "True", "", ""), condition("Progressing", "False", "", ""), condition("Degraded", "False", "", "")}
	expect(t, judgeHyperConverged(nil), step.Missing, "not deployed")
	expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName, good...)), step.OK, "Available")
	expect(t, judgeHyperConverged(one(kube.HyperConverged, "mine", good...)), step.Broken, hyperConvergedName)
	expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName, condition("ReconcileComplete", "False", "InvalidRequest", "wrong namespace"))), step.Broken, "wrong namespace")
	expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName, condition("Degraded", "True", "HCODegraded", "sick"))), step.Pending, "sick")
	expect(t, judgeMetalLB(nil), step.Missing, "not deployed")
	expect(t, judgeMetalLB(one(kube.MetalLB, metalLBName, good...)), step.OK, "Available")
	expect(t, judgeMetalLB(one(kube.MetalLB, "other", condition("Degraded", "True", "IncorrectMetalLBResourceName", ""))), step.Broken, "the name metallb only")
	expect(t, judgeMetalLB(one(kube.MetalLB, metalLBName, condition("Available", "True", "", ""))), step.Pending, "Degraded not reported yet")
}

func TestJudgeAddonLooksAtStatusNotReason(t *testing.T) {
	addon := func(available, degraded metav1.ConditionStatus) *addonv1alpha1.ManagedClusterAddOn {
		a := &addonv1alpha1.ManagedClusterAddOn{}
		for conditionType, status := range map[string]metav1.ConditionStatus{"Available": available, "Degraded": degraded} {
			if status != "" {
				a.Status.Conditions = append(a.Status.Conditions, metav1.Condition{Type: conditionType, Status: status, Reason: "HypershiftDeployed", Message: "words"})
			}
		}
		return a
	}
	expect(t, judgeAddon(addon("True", "False")), step.OK, "not degraded")
	expect(t, judgeAddon(addon("True", "True")), step.Pending, "Degraded True (HypershiftDeployed)")
	expect(t, judgeAddon(addon("True", "")), step.Pending, "Degraded not reported yet")
	expect(t, judgeAddon(addon("False", "False")), step.Pending, "Available False")
}

func TestJudgeIngress(t *testing.T) {
	ingress := func(policy operatorv1.WildcardPolicy, observed int64, progressing operatorv1.ConditionStatus) *operatorv1.IngressController {
		ic := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
		ic.Spec.RouteAdmission = &operatorv1.RouteAdmissionPolicy{WildcardPolicy: policy}
		ic.Status.ObservedGeneration = observed
		ic.Status.Conditions = []operatorv1.OperatorCondition{{Type: "Available", Status: "True"}, {Type: "Degraded", Status: "False"}, {Type: "Progressing", Status: progressing, Message: "rolling"}}
		return ic
	}
	expect(t, judgeIngress(&operatorv1.IngressController{}), step.Missing, "WildcardsDisallowed")
	expect(t, judgeIngress(ingress("", 2, "False")), step.Missing, "WildcardsDisallowed")
	expect(t, judgeIngress(ingress("WildcardsAllowed", 1, "False")), step.Pending, "latest change")
	expect(t, judgeIngress(ingress("WildcardsAllowed", 2, "True")), step.Pending, "rolling")
	expect(t, judgeIngress(ingress("WildcardsAllowed", 2, "False")), step.OK, "WildcardsAllowed")
}

func TestJudgeSupportedVersions(t *testing.T) {
	expect(t, judgeSupportedVersions(`{"versions":["4.20","4.19"]}`), step.OK, "4.20, 4.19")
	expect(t, judgeSupportedVersions(`{"versions":[]}`), step.Pending, "no version")
	expect(t, judgeSupportedVersions(``), step.Pending, "cannot be read")
}
