package hostedcluster

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
)

func TestHeals(t *testing.T) {
	for _, tc := range []struct {
		kind, condition, reason string
		want                    bool
	}{
		{hostedClusterKind, "ValidReleaseImage", "InvalidImage", false},
		{hostedClusterKind, "ValidReleaseImage", "PayloadArchNotFound", true},
		{hostedClusterKind, "ValidReleaseImage", "SecretNotFound", true},
		{hostedClusterKind, "ValidConfiguration", "InvalidConfiguration", true},
		{hostedClusterKind, "SupportedHostedCluster", "UnsupportedHostedCluster", false},
		{hostedClusterKind, "ValidHostedControlPlaneConfiguration", "InsufficientClusterCapabilities", true},
		{hostedClusterKind, "ReconciliationActive", "ReconciliationPaused", true},
		{hostedClusterKind, "ReconciliationSucceeded", "ReconciliationError", true},
		{hostedClusterKind, "InfrastructureReady", "WaitingOnInfrastructureReady", true},
		{hostedClusterKind, "EtcdAvailable", "EtcdWaitingForQuorum", true},
		{hostedClusterKind, "EtcdRecoveryActive", "EtcdRecoveryJobFailed", false},
		{hostedClusterKind, "Available", "KASLoadBalancerNotReachable", true},
		{hostedClusterKind, "Progressing", "Blocked", true},
		{nodePoolKind, "ValidReleaseImage", "ValidationFailed", true},
		{nodePoolKind, "ValidArchPlatform", "InvalidArchPlatform", true},
		{nodePoolKind, "ValidMachineTemplate", "InvalidKubevirtMachineTemplate", false},
		{nodePoolKind, "ValidMachineConfig", "ValidationFailed", true},
		// A word of another version, and a word that means something on the other kind only.
		{hostedClusterKind, "ValidReleaseImage", "BrandNewReason", true},
		{hostedClusterKind, "BrandNewCondition", "InvalidImage", true},
		{nodePoolKind, "ValidReleaseImage", "InvalidImage", true},
	} {
		got, _ := heals(tc.kind, kube.Condition{Type: tc.condition, Status: "False", Reason: tc.reason})
		if got != tc.want {
			t.Errorf("%s %s False %s heals: %t, want %t", tc.kind, tc.condition, tc.reason, got, tc.want)
		}
	}
}

func TestHealingsAreUniqueAndHelpful(t *testing.T) {
	type key struct{ kind, condition, reason string }
	seen := map[key]bool{}
	for _, h := range healings() {
		k := key{h.kind, h.condition, h.reason}
		if seen[k] {
			t.Errorf("%v stands twice in the table", k)
		}
		seen[k] = true
		if !h.heals && h.hint == "" {
			t.Errorf("%v does not heal, and nothing says what to do", k)
		}
	}
}
