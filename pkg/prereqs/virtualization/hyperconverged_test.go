package virtualization

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeHyperConverged(t *testing.T) {
	one := func(kind kube.Kind, name string, conditions ...any) []unstructured.Unstructured {
		u := prereq.NewObject(kind, "ns", name, map[string]any{})
		u.Object["status"] = map[string]any{"conditions": conditions}
		return []unstructured.Unstructured{*u}
	}
	good := []any{prereqtest.Condition("ReconcileComplete", "True", "", ""),
		prereqtest.Condition("Available", "True", "", ""), prereqtest.Condition("Progressing", "False", "", ""),
		prereqtest.Condition("Degraded", "False", "", "")}
	prereqtest.Expect(t, judgeHyperConverged(nil), step.StateMissing, "not deployed")
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName, good...)), step.StateOK,
		"Available")
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, "mine", good...)), step.StateBroken,
		hyperConvergedName)
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName,
		prereqtest.Condition("ReconcileComplete", "False", "InvalidRequest",
			"wrong namespace"))), step.StateBroken, "wrong namespace")
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName,
		prereqtest.Condition("Degraded", "True", "HCODegraded", "sick"))), step.StatePending, "sick")
	// HCO's order, after a pass that failed before it has looked at its components.
	failed := judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName,
		prereqtest.Condition("ReconcileComplete", "False", "ReconcileFailed", "error while reconciling: refused"),
		prereqtest.Condition("Available", "Unknown", "StatusUnknown", "Unknown Status"),
		prereqtest.Condition("Progressing", "True", "CDIProgressing", "old"),
		prereqtest.Condition("Degraded", "True", "CDIDegraded", "old")))
	prereqtest.Expect(t, failed, step.StatePending, "ReconcileComplete False (ReconcileFailed): error while reconciling: refused")
	if !failed.Trouble || !strings.HasPrefix(failed.Hint.String(), "oc get hyperconverged kubevirt-hyperconverged -n ns") {
		t.Errorf("trouble %t, hint %s", failed.Trouble, failed.Hint)
	}
}
