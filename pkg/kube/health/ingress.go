package health

import (
	"cmp"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wildcards judges whether the default IngressController admits the wildcard Routes of hosted clusters, by its
// operator's status (OpenShift 4.12 and later). Reason is kube.WildcardsDisallowed if the spec does not allow them.
// While Admitted is False, the other conditions do not describe the present spec.
func Wildcards(ic *kube.DefaultIngress) Verdict {
	const at = kube.IngressNamespace
	v := Verdict{Finding: step.OK("%s", kube.WildcardsAllowed).
		On("%s %s/%s", kube.IngressController.Kind, at, kube.IngressControllerName)}
	path := []string{"spec", "routeAdmission", "wildcardPolicy"}
	policy := cmp.Or(ic.Spec.RouteAdmission.WildcardPolicy, kube.WildcardsDisallowed)
	if policy != kube.WildcardsAllowed {
		by := ""
		if setter, known := owner.SetBy(ic, path...); known {
			by = ", set by " + setter.String()
		}
		v.Hint = hint.Run("bootstrap").Flag("only", "ingress/wildcard").Text()
		return v.with(step.StateBroken, kube.WildcardsDisallowed, "spec.routeAdmission.wildcardPolicy is %s%s, hosted "+
			"clusters need %s", policy, by, kube.WildcardsAllowed)
	}
	if ic.Status.ObservedGeneration < ic.Generation {
		v.Hint = hint.New("oc get pods,events -n %s", at)
		return v.with(step.StatePending, "NotObserved", "the ingress operator has not processed its latest change yet")
	}
	conditions := kube.ConditionsOf(ic, ic.Status.Conditions)
	v.Hint = hint.New("oc describe ingresscontroller %s -n %s", kube.IngressControllerName, at)
	if c := kube.FindCondition(conditions, "Admitted"); c.False() {
		return v.with(step.StateBroken, c.Reason, "it is not admitted, so nothing that it asks for is done: %s", c.Describe())
	}
	for _, want := range []struct{ conditionType, status string }{{"Admitted", "True"},
		{kube.ConditionDegraded, "False"}, {kube.ConditionAvailable, "True"}, {kube.ConditionProgressing, "False"}} {
		if c := kube.FindCondition(conditions, want.conditionType); c.Status != want.status {
			bad := v.with(step.StatePending, c.Reason, "%s", c.Describe())
			bad.Trouble = want.conditionType == kube.ConditionDegraded && c.True()
			return bad
		}
	}
	v.Hint = hint.Text{}
	return v
}
