package hostedcluster

import (
	"errors"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestCopyBeforeAndAfterTheControlPlaneExists(t *testing.T) {
	g := reconciler.Features{HyperShift: profile.NewestHyperShift}
	hc := &hyperv1.HostedCluster{}
	copyControlPlane(g, hc, nil)
	expect(t, hc.Status.Conditions, "EtcdAvailable", metav1.ConditionUnknown, "StatusUnknown", msgHCPNotFound)
	expect(t, hc.Status.Conditions, "ClusterVersionSucceeding", metav1.ConditionUnknown, "StatusUnknown",
		status.MsgNotInCVO)

	hcp := &hyperv1.HostedControlPlane{}
	status.Set(&hcp.Status.Conditions, 1, status.False(hyperv1.HostedControlPlaneDegraded, "AsExpected", ""))
	status.Set(&hcp.Status.Conditions, 1, status.False(hyperv1.ClusterVersionFailing, "FromClusterVersion", ""))
	copyControlPlane(g, hc, hcp)
	expect(t, hc.Status.Conditions, "EtcdAvailable", metav1.ConditionUnknown, "StatusUnknown", msgNotInHCP)
	expect(t, hc.Status.Conditions, "Degraded", metav1.ConditionFalse, "AsExpected", "The hosted cluster is not degraded")
	expect(t, hc.Status.Conditions, "ClusterVersionSucceeding", metav1.ConditionTrue, "FromClusterVersion", "")
}

func TestOldOperatorsLackNewConditions(t *testing.T) {
	hc := &hyperv1.HostedCluster{}
	copyControlPlane(reconciler.Features{}, hc, nil)
	for _, kind := range []string{status.CondDataPlaneConnection, status.CondControlPlaneConnection, status.CondEtcdBackup,
		status.CondConfigOperator} {
		if meta.FindStatusCondition(hc.Status.Conditions, kind) != nil {
			t.Errorf("condition %s is there", kind)
		}
	}
}

func TestClosedGateBlocksAndIsReported(t *testing.T) {
	hc := &hyperv1.HostedCluster{}
	message := `the latest version supported is: "4.20". Attempting to use: "4.21.3"`
	status.Set(&hc.Status.Conditions, 1, status.False(hyperv1.ValidReleaseImage, hyperv1.InvalidImageReason, message))
	p := progressing(hc, releaseGate{})
	if p.Status != metav1.ConditionFalse || p.Reason != "Blocked" || p.Message != "ValidReleaseImage condition is false: "+
		message {
		t.Errorf("Progressing is %+v", p)
	}
	status.Set(&hc.Status.Conditions, 1, p)
	if a := availability(hc, nil); a.Reason != "WaitingForAvailable" || a.Message != p.Message {
		t.Errorf("Available is %+v", a)
	}
	unread := errors.New("no such host")
	if p := progressing(hc, releaseGate{blocked: release.MsgReleaseMetadata(unread)}); p.Message != "failed to extract "+
		"release metadata: failed to get repo setup: no such host" {
		t.Errorf("Progressing says %q", p.Message)
	}
}

func expect(t *testing.T, conditions []metav1.Condition, kind string, status metav1.ConditionStatus, reason,
	message string) {
	t.Helper()
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil {
		t.Errorf("no condition %s", kind)
		return
	}
	if c.Status != status || c.Reason != reason || c.Message != message {
		t.Errorf("%s is %s %s %q, want %s %s %q", kind, c.Status, c.Reason, c.Message, status, reason, message)
	}
}
