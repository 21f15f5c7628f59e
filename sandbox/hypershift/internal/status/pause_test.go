package status

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestPausedUntil(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		field   *string
		status  metav1.ConditionStatus
		message string
	}{
		{nil, metav1.ConditionTrue, msgReconciliationActive},
		{ptr.To("false"), metav1.ConditionTrue, msgReconciliationActive},
		{ptr.To("true"), metav1.ConditionFalse, "Reconciliation paused until field removed"},
		{ptr.To("2026-01-02T00:00:00Z"), metav1.ConditionFalse, "Reconciliation paused until: 2026-01-02T00:00:00Z"},
		{ptr.To("2025-01-02T00:00:00Z"), metav1.ConditionTrue, msgReconciliationActive},
		{ptr.To("soon"), metav1.ConditionTrue, msgPausedInvalid},
	} {
		c := ReconciliationActive(tc.field, now)
		if c.Status != tc.status || c.Message != tc.message {
			t.Errorf("pausedUntil %q: %+v", ptr.Deref(tc.field, "unset"), c)
		}
	}
}
