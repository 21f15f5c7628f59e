package conditions

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
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
		got := false
		if row := Find(tc.kind, tc.condition); row != nil {
			got = row.reason(kube.Condition{Status: "False", Reason: tc.reason}).Terminal
		}
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
		got := Find(hostedcluster.HostedClusterKind, "ValidReleaseImage").reason(kube.Condition{Status: "False",
			Reason: "InvalidImage", Message: message})
		if got.Terminal != want || strings.Contains(got.Hint.String(), "does not try again") != want {
			t.Errorf("%s: %+v, want terminal %t", message, got, want)
		}
	}
}

// TestRows: a row is complete, and stands once.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table() {
		name := r.Kind + " " + r.Type
		if seen[name] {
			t.Errorf("%s has two rows", name)
		}
		seen[name] = true
		judged := r.Good != ""
		if judged != (r.Means != "") || judged != (r.Look != "") || judged != (r.Bad != step.StateUnknown) ||
			!judged && len(r.Reasons) > 0 {
			t.Errorf("%s says too little, or what is not used: %+v", name, r)
		}
		reasons := map[string]bool{}
		for _, reason := range r.Reasons {
			if reasons[reason.Reason] || reason.Means == "" || reason.Terminal && reason.Hint.IsZero() {
				t.Errorf("%s: the reason stands twice, or says too little: %+v", name, reason)
			}
			reasons[reason.Reason] = true
		}
	}
}

// TestAFailedUpgradeInPlaceIsNotGood: its condition is False, which is good for any other reason.
func TestAFailedUpgradeInPlaceIsNotGood(t *testing.T) {
	for _, condition := range []string{"UpdatingVersion", "UpdatingConfig"} {
		for reason, good := range map[string]bool{"AsExpected": true, "InplaceUpgradeFailed": false} {
			np := hostedtest.Pool(2, 2, hostedtest.Row{condition, "False", reason, "words"})
			var got *Evaluated
			for _, j := range OfPool(np).Evaluate(true) {
				if j.Type == condition {
					got = &j
				}
			}
			if got == nil || got.Good() != good || (got.State == step.StateBroken) == good {
				t.Errorf("%s False (%s): %+v", condition, reason, got)
			}
		}
	}
}
