package main_test

import (
	"testing"
	"time"
)

// OLM gives up on an InstallPlan with an object that the API server refuses.
func TestFaultInstallPlanFailed(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--speed", "20", "--fault", "installplan-failed")
	c := clusterOf(t, r.dir, "kubeconfig")
	subscribe(t, c, "multicluster-engine", "multicluster-engine", []any{"multicluster-engine"})
	eventually(t, 60*time.Second, func() error { return only(t, c, "InstallPlan", "multicluster-engine", "Failed") })
}
