package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func failedComponent(name, condition, message string) hyperv1.ControlPlaneComponent {
	c := hyperv1.ControlPlaneComponent{}
	c.Name, c.Namespace = name, "clusters-kv-00"
	c.Status.Conditions = []metav1.Condition{
		{Type: "Other", Status: metav1.ConditionFalse, Reason: "WaitingForDependencies"},
		{Type: condition, Status: metav1.ConditionFalse, Reason: "ReconciliationError", Message: message},
	}
	return c
}

func TestComponentErrors(t *testing.T) {
	fine := failedComponent("a", "Available", "was")
	fine.Status.Conditions[1].Status = metav1.ConditionTrue
	got := ComponentErrors([]hyperv1.ControlPlaneComponent{failedComponent("c", "RolloutComplete", "no\timage\x1b"), fine,
		failedComponent("b", "Available", "no catalog")})
	want := []ComponentError{{"b", "no catalog"}, {"c", `no image\x1b`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
