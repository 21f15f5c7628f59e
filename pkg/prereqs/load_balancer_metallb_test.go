package prereqs

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeMetalLB(t *testing.T) {
	one := func(kind kube.Kind, name string, conditions ...any) []unstructured.Unstructured {
		u := object(kind, "ns", name, map[string]any{})
		u.Object["status"] = map[string]any{"conditions": conditions}
		return []unstructured.Unstructured{*u}
	}
	good := []any{condition("ReconcileComplete", "True", "", ""), condition("Available", "True", "", ""), condition("Progressing", "False", "", ""), condition("Degraded", "False", "", "")}
	expect(t, judgeMetalLB(nil), step.Missing, "not deployed")
	expect(t, judgeMetalLB(one(kube.MetalLB, metalLBName, good...)), step.OK, "Available")
	expect(t, judgeMetalLB(one(kube.MetalLB, "other", condition("Degraded", "True", "IncorrectMetalLBResourceName", ""))), step.Broken, "the name metallb only")
	expect(t, judgeMetalLB(one(kube.MetalLB, metalLBName, condition("Available", "True", "", ""))), step.Pending, "Degraded not reported yet")
}
