package health

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeDefinition judges a CRD: it must be Established.
func judgeDefinition(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	conditions := kube.Conditions(u)
	established := kube.FindCondition(conditions, "Established")
	if established.True() {
		return v
	}
	if names := kube.FindCondition(conditions, "NamesAccepted"); names.False() {
		v.Hint = hint.New("another CRD has one of its names: remove that or this one")
		return v.because(step.StateBroken, names)
	}
	return v.because(step.StatePending, established)
}

// judgeConditions judges by the common conditions of operators. Stalled and Degraded are trouble; Reconciling and
// Progressing are pending. Ready, Available, Admitted (IngressController) and Reconciled (DataProtectionApplication)
// must be True if they exist. Failures come first, because they usually cause the missing readiness.
func judgeConditions(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	conditions := kube.Conditions(u)
	for _, c := range conditions {
		if slices.Contains(f.final, c.Reason) && c.Doubt == "" {
			return v.because(step.StateBroken, c)
		}
	}
	if !kube.Observed(u) {
		return v.with(step.StatePending, "NotObserved", "its operator has not processed its latest change yet")
	}
	for _, negative := range []string{"Stalled", kube.ConditionDegraded} {
		if c := kube.FindCondition(conditions, negative); c.True() {
			v.Hint = Describe(u)
			return v.because(step.StatePending, c).inTrouble()
		}
	}
	for _, active := range []string{"Reconciling", kube.ConditionProgressing} {
		if c := kube.FindCondition(conditions, active); c.True() {
			return v.because(step.StatePending, c)
		}
	}
	for _, positive := range append(slices.Clip(f.wantTrue), "Ready", kube.ConditionAvailable, "Admitted", "Reconciled") {
		switch c := kube.FindCondition(conditions, positive); {
		case !c.True() && (c.Status != "" || slices.Contains(f.wantTrue, positive)):
			return v.because(step.StatePending, c)
		case c.True() && v.Since.IsZero():
			v.Since = c.LastTransitionTime
		}
	}
	for _, negative := range f.wantFalse {
		if c := kube.FindCondition(conditions, negative); !c.False() {
			return v.because(step.StatePending, c)
		}
	}
	if c := kube.FindCondition(conditions, "Upgradeable"); c.False() {
		return v.because(step.StateWarning, c)
	}
	return v
}

// Describe returns the command that shows the object's status and events.
func Describe(u *unstructured.Unstructured) hint.Text {
	in := strings.TrimSuffix(" -n "+u.GetNamespace(), " -n ")
	return hint.New("oc describe %s %s%s", strings.ToLower(u.GetKind()), u.GetName(), in)
}
