package prereqs

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeHyperConverged(t *testing.T) {
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
}
