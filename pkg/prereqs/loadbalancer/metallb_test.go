package loadbalancer

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeMetalLB(t *testing.T) {
	one := func(kind kube.Kind, name string, conditions ...any) []unstructured.Unstructured {
		u := prereq.NewObject(kind, "ns", name, map[string]any{})
		u.Object["status"] = map[string]any{"conditions": conditions}
		return []unstructured.Unstructured{*u}
	}
	good := []any{prereqtest.Condition("ReconcileComplete", "True", "", ""),
		prereqtest.Condition("Available", "True", "", ""), prereqtest.Condition("Progressing", "False", "", ""),
		prereqtest.Condition("Degraded", "False", "", "")}
	prereqtest.Expect(t, judgeMetalLB(nil), step.StateMissing, "not deployed")
	prereqtest.Expect(t, judgeMetalLB(one(kube.MetalLB, metalLBName, good...)), step.StateOK, "Available")
	prereqtest.Expect(t, judgeMetalLB(one(kube.MetalLB, "other",
		prereqtest.Condition("Degraded", "True", "IncorrectMetalLBResourceName", ""))), step.StateBroken,
		"the name metallb only")
	prereqtest.Expect(t, judgeMetalLB(one(kube.MetalLB, metalLBName, prereqtest.Condition("Available", "True", "", ""))),
		step.StatePending, "Degraded not reported yet")
}
