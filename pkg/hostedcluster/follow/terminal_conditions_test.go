package follow

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fakeapi"
	"github.com/hcctl/hcctl/pkg/kube"
)

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		kind, condition, reason string
		want                    bool
	}{
		{hostedcluster.HostedClusterKind, "ValidReleaseImage", "InvalidImage", true},
		{hostedcluster.HostedClusterKind, "ValidReleaseImage", "PayloadArchNotFound", false},
		{hostedcluster.HostedClusterKind, "ValidReleaseImage", "SecretNotFound", false},
		{hostedcluster.HostedClusterKind, "ValidConfiguration", "InvalidConfiguration", false},
		{hostedcluster.HostedClusterKind, "SupportedHostedCluster", "UnsupportedHostedCluster", true},
		{hostedcluster.HostedClusterKind, "ValidHostedControlPlaneConfiguration", "InsufficientClusterCapabilities", false},
		{hostedcluster.HostedClusterKind, "ReconciliationActive", "ReconciliationPaused", false},
		{hostedcluster.HostedClusterKind, "ReconciliationSucceeded", "ReconciliationError", false},
		{hostedcluster.HostedClusterKind, "InfrastructureReady", "WaitingOnInfrastructureReady", false},
		{hostedcluster.HostedClusterKind, "EtcdAvailable", "EtcdWaitingForQuorum", false},
		{hostedcluster.HostedClusterKind, "EtcdRecoveryActive", "EtcdRecoveryJobFailed", true},
		{hostedcluster.HostedClusterKind, "Available", "KASLoadBalancerNotReachable", false},
		{hostedcluster.HostedClusterKind, "Progressing", "Blocked", false},
		{hostedcluster.NodePoolKind, "ValidReleaseImage", "ValidationFailed", false},
		{hostedcluster.NodePoolKind, "ValidArchPlatform", "InvalidArchPlatform", false},
		{hostedcluster.NodePoolKind, "ValidMachineTemplate", "InvalidKubevirtMachineTemplate", true},
		{hostedcluster.NodePoolKind, "ValidMachineConfig", "ValidationFailed", false},
		// A word of another version, and a word that means something on the other kind only.
		{hostedcluster.HostedClusterKind, "ValidReleaseImage", "BrandNewReason", false},
		{hostedcluster.HostedClusterKind, "BrandNewCondition", "InvalidImage", false},
		{hostedcluster.NodePoolKind, "ValidReleaseImage", "InvalidImage", false},
	} {
		got, _ := terminal(tc.kind, kube.Condition{Type: tc.condition, Status: "False", Reason: tc.reason})
		if got != tc.want {
			t.Errorf("%s %s False %s is terminal: %t, want %t", tc.kind, tc.condition, tc.reason, got, tc.want)
		}
	}
}

// The operator tries a release image again that it could not read, whatever it calls that.
func TestAReleaseThatCannotBeReadIsNotTerminal(t *testing.T) {
	for message, want := range map[string]bool{
		`the latest version supported is: "4.21.0". Attempting to use: "4.23.0"`:                   true,
		"failed to lookup release image: failed to extract release metadata: connection timed out": false,
	} {
		got, hint := terminal(hostedcluster.HostedClusterKind, kube.Condition{Type: "ValidReleaseImage", Status: "False",
			Reason: "InvalidImage", Message: message})
		if got != want || strings.Contains(hint, "does not try again") != want {
			t.Errorf("%s: terminal %t with the hint %q, want %t", message, got, hint, want)
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

// TestAFailedUpgradeInPlaceIsNotGood: its condition is False, which is good for any other reason.
func TestAFailedUpgradeInPlaceIsNotGood(t *testing.T) {
	for _, condition := range []string{"UpdatingVersion", "UpdatingConfig"} {
		for reason, good := range map[string]bool{"AsExpected": true, "InplaceUpgradeFailed": false} {
			np := workers(poolCondition(fakeapi.Row{condition, "False", reason, "words"}))
			var got *EvaluatedCondition
			for _, j := range PoolConditions(np).Evaluate(true) {
				if j.Type == condition {
					got = &j
				}
			}
			if got == nil || got.Good != good || got.Terminal == good || (got.Weight == WeightFailure) == good {
				t.Errorf("%s False (%s): %+v", condition, reason, got)
			}
		}
	}
}
