package prereqs

import (
	"strings"
	"testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
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

func worker(name string, ready bool, edit func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{workerLabel: ""}}}
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
	expect(t, judgeAddon(addon("True", "True")), step.Pending, "Degraded True: words")
	expect(t, judgeAddon(addon("True", "")), step.Pending, "Degraded not reported yet")
	expect(t, judgeAddon(addon("False", "False")), step.Pending, "Available False")
	told := addon("True", "True")
	for i := range told.Status.Conditions {
		told.Status.Conditions[i].Message = "OperatorNotFound"
	}
	expect(t, judgeAddon(told), step.Pending, "Degraded True: OperatorNotFound: HyperShift's operator is not deployed (yet)")
	if f := judgeAddon(told); !f.Trouble {
		t.Error("a degraded addon is not told as trouble")
	}
	if got := addonLimits([]addonv1alpha1.CustomizedVariable{{Name: "x", Value: "1"}, {Name: "hcThresholdNumber", Value: "60"}, {Name: "hcMaxNumber", Value: "80"}}); !strings.Contains(got, "full at 80 hosted clusters, and warns from 60") {
		t.Errorf("got %q", got)
	}
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
