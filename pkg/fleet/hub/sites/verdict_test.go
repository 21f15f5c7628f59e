package sites

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestAPhaseIsBelievedWithItsCondition has what sites report of the kinds that are judged by a phase.
func TestAPhaseIsBelievedWithItsCondition(t *testing.T) {
	for name, tc := range map[string]struct {
		kind                             kube.Kind
		phase, status, reason, condition string
		want                             step.State
		says                             string
	}{
		"engine": {kube.MultiClusterEngine, "Available", "True", "ComponentsDeployed", "Progressing", step.StateOK, "Available"},
		"its pass failed": {kube.MultiClusterEngine, "Available", "Unknown", "FailedDeployingComponent", "Progressing",
			step.StatePending, "phase Available, and its conditions say that it is not (FailedDeployingComponent)"},
		"an error":       {kube.MultiClusterEngine, "Error", "False", "RequirementsNotMet", "Progressing", step.StatePending, "phase Error"},
		"a disk is gone": {kube.LVMCluster, "Ready", "False", "VGsDegraded", "VolumeGroupsReady", step.StatePending, "(VGsDegraded)"},
		"before 4.17":    {kube.LVMCluster, "Ready", "", "", "VolumeGroupsReady", step.StateOK, "Ready"},
		"no phase":       {kube.StorageCluster, "", "", "", "Available", step.StatePending, "it has no phase yet"},
		"storage comes":  {kube.StorageCluster, "Progressing", "False", "Init", "Available", step.StatePending, "phase Progressing"},
	} {
		t.Run(name, func(t *testing.T) {
			of := verdicts()[tc.kind.GroupKind()]
			if path := `.status.conditions[?(@.type=="` + tc.condition + `")].status`; of.values[1].path != path {
				t.Errorf("it reports %s, not %s", of.values[1].path, path)
			}
			f := judgePhase(map[string]string{phase: tc.phase, available: tc.status, available + because: tc.reason}, of.phase)
			if f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("%+v, not %s: %s", f, tc.want, tc.says)
			}
		})
	}
}
