package follow

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
			Status: metav1.ConditionFalse, Reason: "ComponentsNotAvailable", Message: waitingForComponents + tc.list}}
		if got := f.apiAnswers(t.Context(), nil, hc); got.State != step.StatePending || got.Message != begin+tc.want {
			t.Errorf("%d: %s %q, want %q", i, got.State, got.Message, begin+tc.want)
		}
	}
}

func TestSortLists(t *testing.T) {
	for message, want := range map[string]string{
		waitingForComponents + "b, a": waitingForComponents + "a, b",
		"[b deployment has 2 unavailable replicas, a deployment has 1 unavailable replicas]": "[a deployment has 1 " +
			"unavailable replicas, b deployment has 2 unavailable replicas]",
		"[b, a]":            "[b, a]",
		"no list, b, a":     "no list, b, a",
		"":                  "",
		"[unavailable":      "[unavailable",
		"b, a unavailable ": "b, a unavailable ",
	} {
		if got := sortLists(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
	if got := sortLists(strings.Repeat("x", 9)); got != "xxxxxxxxx" {
		t.Errorf("got %q", got)
	}
}
