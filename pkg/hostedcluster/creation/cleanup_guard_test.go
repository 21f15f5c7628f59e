package creation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// --cleanup-on-failure never removes a cluster that somebody may use.
func TestGuardedFromCleanup(t *testing.T) {
	for name, tc := range map[string]struct {
		change step.Change
		api    bool
		want   bool
	}{
		"made by this create":           {step.Created, false, false},
		"made by it, and had an API":    {step.Created, true, false},
		"left halfway":                  {step.Unchanged, false, false},
		"there before, and had an API":  {step.Unchanged, true, true},
		"nothing is known of the write": {"", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			hc := hostedtest.Cluster()
			if tc.api {
				hc.Status.KubeConfig = &corev1.LocalObjectReference{Name: "plain-admin-kubeconfig"}
			}
			r := step.Report{
				Results: []step.Result{{Step: &step.Step{ID: hostedClusterStep}, Outcome: step.OutcomeDone, Change: tc.change}},
			}
			if got := GuardedFromCleanup(r, hc); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}
