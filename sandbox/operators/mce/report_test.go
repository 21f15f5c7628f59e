package mce

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A component that repeats an object's last condition is not ready, whatever its status (backplane-operator).
func TestReportCopiesTheLastCondition(t *testing.T) {
	r := &report{ready: true}
	r.copied("hub", ComponentLocalCluster, []metav1.Condition{{Type: "HubAcceptedManagedCluster", Status: "True"},
		{Type: "ManagedClusterJoined", Status: "True", Reason: "ManagedClusterJoined", Message: "joined"}})
	r.copied("hypershift-addon", "ManagedClusterAddOn", nil)
	if r.ready {
		t.Error("ready")
	}
	for i, want := range []map[string]any{
		{"name": "hub", "kind": "local-cluster", "type": "ManagedClusterJoined", "status": "True",
			"reason": "ManagedClusterJoined", "message": "joined"},
		{"name": "hypershift-addon", "kind": "ManagedClusterAddOn", "type": "Unknown", "status": "Unknown",
			"reason": "No conditions available", "message": "No conditions available"},
	} {
		for field, value := range want {
			if got, ok := r.components[i].(map[string]any); !ok || got[field] != value {
				t.Errorf("%d: %s: %v, want %v", i, field, r.components[i], value)
			}
		}
	}
	ready := &report{ready: true}
	ready.entry("hub", ComponentLocalCluster, metav1.Condition{Type: "NotPresent", Status: metav1.ConditionTrue}, true)
	if !ready.ready {
		t.Error("a component that is off keeps the engine from being ready")
	}
}
