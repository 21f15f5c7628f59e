package follow

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// The operator lists components in another order at each reconcile: only a change is another message.
func TestComponentsInAnyOrderAreOneMessage(t *testing.T) {
	f := New(nil, "clusters", "kv-00")
	const begin = "Available False (ComponentsNotAvailable): Waiting for components to be available: "
	for i, tc := range []struct{ list, want string }{
		{"b, a, c, f, e, d, g, h", "a, b, c, d, e, f, g, h"},
		{"h, g, f, e, d, c, b, a", "a, b, c, d, e, f, g, h"},
		{"h, g, f, e, d, c", "6 left; available now: a, b"},
		{"c, d, e, f, g, h", "6 left; available now: a, b"},
		{"d, c, e, x", "4 left (c, d, e, x); available now: f, g, h; unavailable since: x"},
		{"x", "1 left (x); available now: c, d, e"},
	} {
		hc := &hyperv1.HostedCluster{}
		hc.Status.Conditions = []metav1.Condition{{Type: string(hyperv1.HostedClusterAvailable),
			Status: metav1.ConditionFalse, Reason: "ComponentsNotAvailable", Message: conditions.WaitingForComponents + tc.list}}
		if got := f.apiAnswers(t.Context(), nil, hc); got.State != step.StatePending || got.Message != begin+tc.want {
			t.Errorf("%d: %s %q, want %q", i, got.State, got.Message, begin+tc.want)
		}
	}
}

// kv00 is the HostedCluster of these tests.
func kv00() *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{}
	hc.Namespace, hc.Name = "clusters", "kv-00"
	return hc
}

func failedComponent(name, condition, message string) hyperv1.ControlPlaneComponent {
	c := hyperv1.ControlPlaneComponent{}
	c.Name, c.Namespace = name, "clusters-kv-00"
	c.Status.Conditions = []metav1.Condition{
		{Type: "Other", Status: metav1.ConditionFalse, Reason: "WaitingForDependencies"},
		{Type: condition, Status: metav1.ConditionFalse, Reason: "ReconciliationError", Message: message},
	}
	return c
}

// A component that the operator cannot create is the cause of a wait, if no pod is.
func TestAComponentIsTheCause(t *testing.T) {
	w := hostedtest.NewWorld(t)
	f := New(w.Client, "clusters", "kv-00")
	if cause, _ := f.controlPlaneTrouble(t.Context(), w.Client, kv00()); cause != "" {
		t.Errorf("%q without a component", cause)
	}
	c := failedComponent("packageserver", "RolloutComplete", "no image")
	w.Of("ControlPlaneComponent").Put(&c)
	if cause, _ := f.controlPlaneTrouble(t.Context(), w.Client, kv00()); cause !=
		"ControlPlaneComponent clusters-kv-00/packageserver: no image" {
		t.Errorf("%q", cause)
	}
}
