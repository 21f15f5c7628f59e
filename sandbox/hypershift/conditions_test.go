package hypershift

import (
	"errors"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// The reasons a control plane is unavailable for come in the operator's order: the recorded stages 1 to 4.
func TestAvailableStages(t *testing.T) {
	etcdUp, kasUp := isTrue(hyperv1.EtcdAvailable, ""), isTrue(hyperv1.KubeAPIServerAvailable, msgKASAvailable)
	etcdDown := isFalse(hyperv1.EtcdAvailable, hyperv1.EtcdWaitingForQuorumReason, msgEtcdWaiting)
	kasDown := isFalse(hyperv1.KubeAPIServerAvailable, hyperv1.NotFoundReason, msgKASNotFound)
	noAddress := infra{missing: []string{
		msgLoadBalancerPending("kube-apiserver", 0, nil), msgOAuthRouteWithoutHost(0),
	}}
	up := []componentState{{name: "etcd", available: true}, {name: "b"}, {name: "a"}}
	for _, tc := range []struct {
		name            string
		view            view
		already         bool
		reason, message string
	}{
		{"1 no address", view{infra: noAddress, etcd: etcdDown, kas: kasDown}, false, "WaitingOnInfrastructureReady",
			"kube-apiserver load balancer is not provisioned; 0s since creation.; OAuth service route does not contain valid host; 0s since creation"},
		{"2 no kubeconfig", view{etcd: etcdUp, kas: kasDown}, false, "KubeconfigWaitingForCreate",
			"Waiting for hosted control plane kubeconfig to be created"},
		{"etcd lost", view{etcd: etcdDown, kas: kasUp, kubeconfig: true}, false, "EtcdWaitingForQuorum", "Waiting for etcd to reach quorum"},
		{"api server lost", view{etcd: etcdUp, kas: kasDown, kubeconfig: true}, false, "NotFound", "Kube APIServer deployment not found"},
		{"3 endpoint", view{etcd: etcdUp, kas: kasUp, kubeconfig: true, health: msgUnhealthyEndpoint("10.0.0.1", 404, nil)}, false,
			"KASLoadBalancerNotReachable", "APIServer endpoint 10.0.0.1 is not healthy (status 404)"},
		{"nothing started", view{etcd: etcdUp, kas: kasUp, kubeconfig: true}, false, "ComponentsNotAvailable", msgNoComponents},
		{"4 components", view{etcd: etcdUp, kas: kasUp, kubeconfig: true, components: up}, false, "ComponentsNotAvailable",
			"Waiting for components to be available: a, b"},
		{"once available", view{etcd: etcdUp, kas: kasUp, kubeconfig: true, components: up}, true, "AsExpected", ""},
	} {
		got := hcpAvailable(&tc.view, tc.already)
		if got.reason != tc.reason || got.message != tc.message {
			t.Errorf("%s: %s %q, want %s %q", tc.name, got.reason, got.message, tc.reason, tc.message)
		}
	}
}

func TestCopyBeforeAndAfterTheControlPlaneExists(t *testing.T) {
	g := generation{modern: true}
	hc := &hyperv1.HostedCluster{}
	g.copyControlPlane(hc, nil)
	expect(t, hc.Status.Conditions, "EtcdAvailable", metav1.ConditionUnknown, "StatusUnknown", msgHCPNotFound)
	expect(t, hc.Status.Conditions, "ClusterVersionSucceeding", metav1.ConditionUnknown, "StatusUnknown", msgNotInCVO)

	hcp := &hyperv1.HostedControlPlane{}
	set(&hcp.Status.Conditions, 1, isFalse(hyperv1.HostedControlPlaneDegraded, "AsExpected", ""))
	set(&hcp.Status.Conditions, 1, isFalse(hyperv1.ClusterVersionFailing, "FromClusterVersion", ""))
	g.copyControlPlane(hc, hcp)
	expect(t, hc.Status.Conditions, "EtcdAvailable", metav1.ConditionUnknown, "StatusUnknown", msgNotInHCP)
	expect(t, hc.Status.Conditions, "Degraded", metav1.ConditionFalse, "AsExpected", "The hosted cluster is not degraded")
	expect(t, hc.Status.Conditions, "ClusterVersionSucceeding", metav1.ConditionTrue, "FromClusterVersion", "")
}

func TestOldOperatorsLackNewConditions(t *testing.T) {
	hc := &hyperv1.HostedCluster{}
	generation{}.copyControlPlane(hc, nil)
	for _, kind := range []string{condDataPlaneConnection, condControlPlaneConnection, condEtcdBackup, condConfigOperator} {
		if meta.FindStatusCondition(hc.Status.Conditions, kind) != nil {
			t.Errorf("condition %s is there", kind)
		}
	}
}

func TestClosedGateBlocksAndIsBubbledUp(t *testing.T) {
	hc := &hyperv1.HostedCluster{}
	message := `the latest version supported is: "4.20". Attempting to use: "4.21.3"`
	set(&hc.Status.Conditions, 1, isFalse(hyperv1.ValidReleaseImage, hyperv1.InvalidImageReason, message))
	p := progressing(hc, releaseGate{})
	if p.status != metav1.ConditionFalse || p.reason != "Blocked" || p.message != "ValidReleaseImage condition is false: "+message {
		t.Errorf("Progressing is %+v", p)
	}
	set(&hc.Status.Conditions, 1, p)
	if a := availability(hc, nil); a.reason != "WaitingForAvailable" || a.message != p.message {
		t.Errorf("Available is %+v", a)
	}
	unread := errors.New("no such host")
	if p := progressing(hc, releaseGate{blocked: msgReleaseMetadata(unread)}); p.message != "failed to extract release metadata: failed to get repo setup: no such host" {
		t.Errorf("Progressing says %q", p.message)
	}
}

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
		c := activeCondition(tc.field, now)
		if c.status != tc.status || c.message != tc.message {
			t.Errorf("pausedUntil %q: %+v", ptr.Deref(tc.field, "unset"), c)
		}
	}
}

func expect(t *testing.T, conditions []metav1.Condition, kind string, status metav1.ConditionStatus, reason, message string) {
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
