package olm

import (
	"strings"
	"testing"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

// TestAPlanThatMayNotInstall: only where OLM cannot act as its service account does the OperatorGroup need a look.
func TestAPlanThatMayNotInstall(t *testing.T) {
	for reason, want := range map[olmv1alpha1.InstallPlanConditionReason]string{
		"InstallCheckFailed": "installing x.v1: OLM cannot act as the service account of the OperatorGroup " +
			"(InstallCheckFailed): forbidden",
		"InstallComponentFailed": "OLM is installing x.v1: forbidden",
	} {
		plan := waitingPlan("x.v1")
		plan.Status.Phase = olmv1alpha1.InstallPlanPhaseInstalling
		plan.Status.Conditions = []olmv1alpha1.InstallPlanCondition{{Type: olmv1alpha1.InstallPlanInstalled,
			Status: corev1.ConditionFalse, Reason: reason, Message: "forbidden"}}
		f := JudgePlan(plan)
		if f.State != step.StatePending || f.Message != want || !f.Trouble ||
			strings.Contains(f.Hint.String(), "oc get operatorgroup -n ns") != (reason == "InstallCheckFailed") {
			t.Errorf("%s: got %+v, want %s", reason, f, want)
		}
	}
}
