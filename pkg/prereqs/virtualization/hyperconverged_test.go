package virtualization

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeHyperConverged(t *testing.T) {
	now := time.Now()
	one := func(kind kube.Kind, name string, conditions ...any) []unstructured.Unstructured {
		u := prereq.NewObject(kind, "ns", name, map[string]any{})
		u.Object["status"] = map[string]any{"conditions": conditions}
		return []unstructured.Unstructured{*u}
	}
	good := []any{prereqtest.Condition("ReconcileComplete", "True", "", ""),
		prereqtest.Condition("Available", "True", "", ""), prereqtest.Condition("Progressing", "False", "", ""),
		prereqtest.Condition("Degraded", "False", "", "")}
	prereqtest.Expect(t, judgeHyperConverged(nil, now), step.StateMissing, "not deployed")
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName, good...), now), step.StateOK,
		"Available")
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, "mine", good...), now), step.StateBroken,
		hyperConvergedName)
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName,
		prereqtest.Condition("ReconcileComplete", "False", "InvalidRequest",
			"wrong namespace")), now), step.StateBroken, "wrong namespace")
	prereqtest.Expect(t, judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName,
		prereqtest.Condition("Degraded", "True", "HCODegraded", "sick")), now), step.StatePending, "sick")
	// HCO's order, after a pass that failed before it has looked at its components.
	failed := judgeHyperConverged(one(kube.HyperConverged, hyperConvergedName,
		prereqtest.Condition("ReconcileComplete", "False", "ReconcileFailed", "error while reconciling: refused"),
		prereqtest.Condition("Available", "Unknown", "StatusUnknown", "Unknown Status"),
		prereqtest.Condition("Progressing", "True", "CDIProgressing", "old"),
		prereqtest.Condition("Degraded", "True", "CDIDegraded", "old")), now)
	prereqtest.Expect(t, failed, step.StatePending, "ReconcileComplete False (ReconcileFailed): error while reconciling: refused")
	if !failed.Trouble || !strings.HasPrefix(failed.Hint.String(), "oc get hyperconverged kubevirt-hyperconverged -n ns") {
		t.Errorf("trouble %t, hint %s", failed.Trouble, failed.Hint)
	}
}

// TestWhatHyperConvergedRelays has conditions as HCO makes them of those of its components: one of each type for all.
func TestWhatHyperConvergedRelays(t *testing.T) {
	const done = "ReconcileCompleted"
	condition := prereqtest.Condition
	for name, tc := range map[string]struct {
		available, progressing any
		says                   string
		trouble                bool
		look                   string
	}{
		"one without conditions": {condition("Available", "False", "CDIConditions", "CDI resource has no conditions"),
			condition("Progressing", "True", "CDIConditions", "CDI resource has no conditions"),
			"Progressing True (CDIConditions): CDI resource has no conditions", false, "cdi"},
		"one that comes": {condition("Available", "False", "CDINotAvailable", "CDI is not available: Started Deployment"),
			condition("Progressing", "True", "CDIProgressing", "CDI is progressing: Started Deployment"),
			"Progressing True (CDIProgressing): CDI is progressing", false, "cdi"},
		"one is away, another comes": {condition("Available", "False", "CDINotAvailable", "CDI is not available: no deployments"),
			condition("Progressing", "True", "SSPProgressing", "SSP is progressing: Reconciling SSP resources"),
			"Available False (CDINotAvailable): CDI is not available: no deployments; Progressing True (SSPProgressing)", false, "ssp"},
		"one is away, none comes": {condition("Available", "False", "NetworkAddonsConfigNotAvailable",
			"NetworkAddonsConfig is not available: Configuration is in process"), condition("Progressing", "False", done, ""),
			"Available False (NetworkAddonsConfigNotAvailable): NetworkAddonsConfig is not available", true, "networkaddonsconfig"},
		"an update": {condition("Available", "True", done, ""), condition("Progressing", "True", "HCOUpgrading",
			"HCO is now upgrading to version 1.17.1"), "Progressing True (HCOUpgrading): HCO is now upgrading", false,
			"hyperconverged kubevirt-hyperconverged"},
	} {
		hc := prereq.NewObject(kube.HyperConverged, "ns", hyperConvergedName, map[string]any{})
		hc.Object["status"] = map[string]any{"conditions": []any{condition("ReconcileComplete", "True", done, ""), tc.available,
			tc.progressing, condition("Degraded", "False", done, ""), condition("Upgradeable", "False", "HCOProgressing", "")}}
		f := judgeHyperConverged([]unstructured.Unstructured{*hc}, time.Now())
		prereqtest.Expect(t, f, step.StatePending, tc.says)
		if f.Trouble != tc.trouble || !strings.Contains(f.Hint.String(), "oc get "+tc.look+" -n ns -o yaml") {
			t.Errorf("%s: trouble %t, hint %q", name, f.Trouble, f.Hint)
		}
	}
}
