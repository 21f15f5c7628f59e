package prereqtest

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

// Expect fails the test unless the finding has the state and its message contains the text.
func Expect(t *testing.T, f step.Finding, state step.State, says string) {
	t.Helper()
	if f.State != state || !strings.Contains(f.Message, says) {
		t.Errorf("got %+v, want %s with %q", f, state, says)
	}
}

// Worker returns a node with the worker role. edit may be nil.
func Worker(name string, ready bool, edit func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{"node-role.kubernetes.io/worker": ""}}}
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	if edit != nil {
		edit(&n)
	}
	return n
}

// Condition returns a condition in unstructured form.
func Condition(conditionType, status, reason, message string) any {
	return map[string]any{"type": conditionType, "status": status, "reason": reason, "message": message}
}

// Since sets the time of a condition's last transition.
func Since(c any, at time.Time) any {
	c.(map[string]any)["lastTransitionTime"] = at.UTC().Format(time.RFC3339)
	return c
}
