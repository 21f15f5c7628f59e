package hostedcluster

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
)

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		kind, condition, reason string
		want                    bool
	}{
		{hostedClusterKind, "ValidReleaseImage", "InvalidImage", true},
		{hostedClusterKind, "ValidReleaseImage", "PayloadArchNotFound", false},
		{hostedClusterKind, "ValidReleaseImage", "SecretNotFound", false},
		{hostedClusterKind, "ValidConfiguration", "InvalidConfiguration", false},
		{hostedClusterKind, "SupportedHostedCluster", "UnsupportedHostedCluster", true},
		{hostedClusterKind, "ValidHostedControlPlaneConfiguration", "InsufficientClusterCapabilities", false},
		{hostedClusterKind, "ReconciliationActive", "ReconciliationPaused", false},
		{hostedClusterKind, "ReconciliationSucceeded", "ReconciliationError", false},
		{hostedClusterKind, "InfrastructureReady", "WaitingOnInfrastructureReady", false},
		{hostedClusterKind, "EtcdAvailable", "EtcdWaitingForQuorum", false},
		{hostedClusterKind, "EtcdRecoveryActive", "EtcdRecoveryJobFailed", true},
		{hostedClusterKind, "Available", "KASLoadBalancerNotReachable", false},
		{hostedClusterKind, "Progressing", "Blocked", false},
		{nodePoolKind, "ValidReleaseImage", "ValidationFailed", false},
		{nodePoolKind, "ValidArchPlatform", "InvalidArchPlatform", false},
		{nodePoolKind, "ValidMachineTemplate", "InvalidKubevirtMachineTemplate", true},
		{nodePoolKind, "ValidMachineConfig", "ValidationFailed", false},
		// A word of another version, and a word that means something on the other kind only.
		{hostedClusterKind, "ValidReleaseImage", "BrandNewReason", false},
		{hostedClusterKind, "BrandNewCondition", "InvalidImage", false},
		{nodePoolKind, "ValidReleaseImage", "InvalidImage", false},
	} {
		got, _ := terminal(tc.kind, kube.Condition{Type: tc.condition, Status: "False", Reason: tc.reason})
		if got != tc.want {
			t.Errorf("%s %s False %s is terminal: %t, want %t", tc.kind, tc.condition, tc.reason, got, tc.want)
		}
	}
}

func TestKnownConditionsAreUniqueAndHelpful(t *testing.T) {
	type key struct{ kind, condition, reason string }
	seen := map[key]bool{}
	for _, k := range knownConditions() {
		at := key{k.kind, k.condition, k.reason}
		if seen[at] {
			t.Errorf("%v stands twice in the table", at)
		}
		seen[at] = true
		if k.terminal && k.hint == "" {
			t.Errorf("%v is terminal, and nothing says what to do", at)
		}
	}
}
