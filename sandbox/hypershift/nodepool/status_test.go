package nodepool

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

func poolCondition(np *hyperv1.NodePool, kind string) hyperv1.NodePoolCondition {
	for _, c := range np.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return hyperv1.NodePoolCondition{}
}

func TestUpdateIsReportedAndNoted(t *testing.T) {
	p := &pool{nodePools: &nodePools{}, np: testPool()}
	t1 := template{payload: release.Payload{Version: "4.20.3"}, config: "c1", configVersion: "cv1", name: "kv-1",
		hash: "h1"}
	p.describeUpdate(t1, false)
	if c := poolCondition(p.np, hyperv1.NodePoolUpdatingVersionConditionType); c.Status != corev1.ConditionTrue ||
		c.Message != "Updating version in progress. Target version: 4.20.3" {
		t.Errorf("at first: %+v", c)
	}
	p.describeUpdate(t1, true)
	for kind := range map[string]bool{
		hyperv1.NodePoolUpdatingVersionConditionType: true, hyperv1.NodePoolUpdatingConfigConditionType: true,
		hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType: true,
	} {
		if c := poolCondition(p.np, kind); c.Status != corev1.ConditionFalse {
			t.Errorf("when complete: %+v", c)
		}
	}
	if p.np.Status.Version != "4.20.3" || p.np.Annotations[currentConfigAnnotation] != "c1" ||
		p.np.Annotations[currentTemplateAnnotation] != "kv-1" {
		t.Errorf("noted: version %s, annotations %v", p.np.Status.Version, p.np.Annotations)
	}
	t2 := t1
	t2.name = "kv-2"
	p.describeUpdate(t2, false)
	if c := poolCondition(p.np,
		hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType); c.Status != corev1.ConditionTrue ||
		c.Message != "platform machine template update in progress. Target template: kv-2" {
		t.Errorf("another machine template: %+v", c)
	}
	if c := poolCondition(p.np, hyperv1.NodePoolUpdatingConfigConditionType); c.Status != corev1.ConditionFalse {
		t.Errorf("another machine template is another configuration: %+v", c)
	}
}

func TestRepairIsEnabledOnceIgnitionWasReached(t *testing.T) {
	p := &pool{nodePools: &nodePools{}, np: testPool()}
	p.np.Spec.Management.AutoRepair = true
	p.describeRepair()
	if c := poolCondition(p.np, hyperv1.NodePoolAutorepairEnabledConditionType); c.Type != "" {
		t.Errorf("before: %+v", c)
	}
	setPool(p.np, poolTrue(condReachedIgnitionEndpoint, ""))
	p.describeRepair()
	if c := poolCondition(p.np, hyperv1.NodePoolAutorepairEnabledConditionType); c.Status != corev1.ConditionTrue {
		t.Errorf("after: %+v", c)
	}
}

func TestLabelsAndTaintsReachNodes(t *testing.T) {
	p := &pool{nodePools: &nodePools{}, np: testPool()}
	p.np.Spec.NodeLabels = map[string]string{"tier": "gold"}
	p.np.Spec.Taints = []hyperv1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
	node := &corev1.Node{}
	if !p.applyLabels(node) || p.applyLabels(node) {
		t.Error("a node is given its labels once")
	}
	p.np.Spec.Taints[0].Value = "no"
	p.np.Spec.NodeLabels["tier"] = "silver"
	if p.applyLabels(node) || len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Value != "yes" {
		t.Errorf("a changed taint reaches no node: %+v", node.Spec.Taints)
	}
	if node.Labels["tier"] != "gold" || node.Labels[guestPoolLabel] != "kv" {
		t.Errorf("labels are %v: later changes of a pool reach no node", node.Labels)
	}
}

func TestAutoscaledPoolStaysInItsLimits(t *testing.T) {
	p := &pool{nodePools: &nodePools{}, np: testPool()}
	p.np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: 2, Max: 4}
	for i := range 3 {
		p.machines = append(p.machines, testMachine(string(rune('a'+i)), "h", i > 0))
	}
	if got := p.desired(); got != 3 {
		t.Errorf("a pool of three becomes one of %d", got)
	}
	p.machines = append(p.machines[:0], testMachine("a", "h", false))
	if got := p.desired(); got != 3 {
		t.Errorf("machines lost change the size to %d", got)
	}
	p.np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: 5, Max: 6}
	if got := p.desired(); got != 5 {
		t.Errorf("below the minimum: %d", got)
	}
	p.np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: 1, Max: 2}
	if got := p.desired(); got != 2 {
		t.Errorf("above the maximum: %d", got)
	}
}

func TestVolumeNotReady(t *testing.T) {
	dv := &cdiv1.DataVolume{}
	dv.Name = "d"
	for _, tc := range []struct {
		phase           cdiv1.DataVolumePhase
		running         *cdiv1.DataVolumeCondition
		reason, message string
	}{
		{phase: cdiv1.Succeeded},
		{phase: cdiv1.Pending, reason: "DVPending", message: "DataVolume d is not ready; Phase: Pending"},
		{phase: cdiv1.ImportInProgress, reason: "DVNotReady", message: "DataVolume d is not ready; Phase: ImportInProgress"},
		{
			phase: cdiv1.ImportInProgress, reason: "DVImagePullFailed",
			message: "DataVolume d import is not running: no such image",
			running: &cdiv1.DataVolumeCondition{Type: cdiv1.DataVolumeRunning, Status: corev1.ConditionFalse,
				Reason: "ImagePullFailed", Message: "no such image"},
		},
	} {
		dv.Status = cdiv1.DataVolumeStatus{Phase: tc.phase}
		if tc.running != nil {
			dv.Status.Conditions = []cdiv1.DataVolumeCondition{*tc.running}
		}
		if reason, message := volumeNotReady(dv); reason != tc.reason || message != tc.message {
			t.Errorf("%s: %s %q", tc.phase, reason, message)
		}
	}
}
