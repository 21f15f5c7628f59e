package multicluster

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	addonv1alpha1 "open-cluster-management.io/api/addon/v1alpha1"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeAddonLooksAtStatusNotReason(t *testing.T) {
	addon := func(available, degraded metav1.ConditionStatus) *addonv1alpha1.ManagedClusterAddOn {
		a := &addonv1alpha1.ManagedClusterAddOn{}
		for conditionType, status := range map[string]metav1.ConditionStatus{"Available": available, "Degraded": degraded} {
			if status != "" {
				a.Status.Conditions = append(a.Status.Conditions,
					metav1.Condition{Type: conditionType, Status: status, Reason: "HypershiftDeployed", Message: "words"})
			}
		}
		return a
	}
	prereqtest.Expect(t, judgeAddon(addon("True", "False")), step.StateOK, "not degraded")
	prereqtest.Expect(t, judgeAddon(addon("True", "True")), step.StatePending, "Degraded True: words")
	prereqtest.Expect(t, judgeAddon(addon("True", "")), step.StatePending, "Degraded not reported yet")
	prereqtest.Expect(t, judgeAddon(addon("False", "False")), step.StatePending, "Available False")
	told := addon("True", "True")
	for i := range told.Status.Conditions {
		told.Status.Conditions[i].Message = "OperatorNotFound"
	}
	prereqtest.Expect(t, judgeAddon(told), step.StatePending,
		"Degraded True: OperatorNotFound: HyperShift's operator is not deployed (yet)")
	if f := judgeAddon(told); !f.Trouble {
		t.Error("a degraded addon is not told as trouble")
	}
	if got := addonLimits([]addonv1alpha1.CustomizedVariable{{Name: "x", Value: "1"},
		{Name: "hcThresholdNumber", Value: "60"}, {Name: "hcMaxNumber",
			Value: "80"}}); !strings.Contains(got, "full at 80 hosted clusters, and warns from 60") {
		t.Errorf("got %q", got)
	}
}

func TestJudgeSupportedVersions(t *testing.T) {
	prereqtest.Expect(t, judgeSupportedVersions(`{"versions":["4.20","4.19"]}`), step.StateOK, "4.20, 4.19")
	prereqtest.Expect(t, judgeSupportedVersions(`{"versions":["4.15","4.14","4.13"]}`), step.StateOK, "can be 4.15, 4.14")
	prereqtest.Expect(t, judgeSupportedVersions(`{"versions":[]}`), step.StatePending, "no version")
	prereqtest.Expect(t, judgeSupportedVersions(``), step.StatePending, "cannot be read")
}
