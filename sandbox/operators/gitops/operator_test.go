package gitops

import "testing"

// The ApplicationSet controller does not count (argocd-operator, controllers/argocd/status.go).
func TestPhaseOfAnInstance(t *testing.T) {
	for _, c := range []struct {
		server, sets, want string
	}{{"Running", "Running", "Available"}, {"Running", "Pending", "Available"}, {"Pending", "Running", "Pending"}} {
		if got := phaseOf(map[string]string{"redis": "Running", "repo": "Running", "applicationController": "Running",
			"server": c.server, "applicationSetController": c.sets}); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
