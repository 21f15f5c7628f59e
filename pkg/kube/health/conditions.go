package health

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// notReported is the Reason of what has no status yet.
const notReported = "NotReported"

// judgeDefinition judges a CRD: it has to be established.
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

// judgeConditions goes by the conditions that operators have in common: Stalled and Degraded mean trouble, Reconciling,
// Progressing and Updating (a MachineConfigPool) that it works on it, and Ready, Available, Admitted (an
// IngressController) or Reconciled (a DataProtectionApplication) has to be True where it is there.
func judgeConditions(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	if !kube.Observed(u) {
		return v.with(step.StatePending, "NotObserved", "its operator has not processed its latest change yet")
	}
	conditions := kube.Conditions(u)
	for _, bad := range []string{"Stalled", "Degraded"} {
		if c := kube.FindCondition(conditions, bad); c.True() {
			return v.because(step.StatePending, c).inTrouble()
		}
	}
	for _, works := range []string{"Reconciling", "Progressing", "Updating"} {
		if c := kube.FindCondition(conditions, works); c.True() {
			return v.because(step.StatePending, c)
		}
	}
	for _, good := range []string{"Ready", "Available", "Admitted", "Reconciled"} {
		switch c := kube.FindCondition(conditions, good); {
		case c.Status != "" && !c.True():
			return v.because(step.StatePending, c)
		case c.True() && v.Since.IsZero():
			v.Since = c.LastTransitionTime
		}
	}
	if c := kube.FindCondition(conditions, "Upgradeable"); c.False() {
		return v.because(step.StateWarning, c)
	}
	return v
}
