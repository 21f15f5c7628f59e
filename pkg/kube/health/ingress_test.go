package health_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// What a hosted cluster needs of the default IngressController: value, author and minute of what was changed.
func TestWildcards(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC))
	by := []metav1.ManagedFieldsEntry{{Manager: "kubectl-edit", Time: &at,
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:routeAdmission":{"f:wildcardPolicy":{}}}}`)}}
	c := func(conditionType string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message}
	}
	valid, admitted := c("Admitted", "True", "Valid", ""), []metav1.Condition{c("Available", "True", "", ""),
		c("Degraded", "False", "", ""), c("Progressing", "False", "", "")}
	for name, tc := range map[string]struct {
		policy     string
		generation int64
		conditions []metav1.Condition
		want       step.State
		says       []string
	}{
		"well":       {"WildcardsAllowed", 2, append(admitted, valid), step.StateOK, nil},
		"taken back": {"WildcardsDisallowed", 2, append(admitted, valid), step.StateBroken, []string{"WildcardsDisallowed, set by kubectl-edit on 2026-01-02 15:04 UTC", "hcctl bootstrap --only ingress/wildcard"}},
		"never set":  {"", 2, append(admitted, valid), step.StateBroken, []string{"WildcardsDisallowed, set by"}},
		"not looked at, and refused before": {"WildcardsAllowed", 3,
			append(admitted, c("Admitted", "False", "Invalid", "old")), step.StatePending, []string{"latest change"}},
		"refused, with good conditions of before": {"WildcardsAllowed", 2, append(admitted, c("Admitted", "False", "Invalid",
			"conflicts with: other")), step.StateBroken, []string{"conflicts with: other", "oc describe ingresscontroller default"}},
		"not admitted yet": {"WildcardsAllowed", 2, admitted, step.StatePending, []string{"Admitted not reported"}},
		"degraded": {"WildcardsAllowed", 2, append([]metav1.Condition{c("Degraded", "True", "DegradedConditions", "why")},
			valid), step.StatePending, []string{"Degraded True (DegradedConditions): why"}},
	} {
		t.Run(name, func(t *testing.T) {
			ic := &kube.DefaultIngress{ObjectMeta: metav1.ObjectMeta{Generation: tc.generation, ManagedFields: by}}
			ic.Spec.RouteAdmission.WildcardPolicy, ic.Status.ObservedGeneration = tc.policy, 2
			ic.Status.Conditions = tc.conditions
			v := health.Wildcards(ic)
			steptest.Expect(t, v.Finding, tc.want, tc.says...)
			if v.Trouble != (name == "degraded") || v.Object != "IngressController openshift-ingress-operator/default" {
				t.Errorf("%+v", v)
			}
		})
	}
}
