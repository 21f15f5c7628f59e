package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// DescribeFinished writes the status of a HostedCluster whose control plane is finished.
func DescribeFinished(g reconciler.Features, hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane,
	payload release.Payload, ignitionHost string) {
	describeHosted(g, hc, observation{
		hcp: hcp, gate: releaseGate{release: payload, valid: status.True(hyperv1.ValidReleaseImage, msgReleaseImageValid)},
		ignition: ignitionState{endpoint: ignitionHost,
			available: status.True(hyperv1.IgnitionEndpointAvailable, msgIgnitionAvailable)},
		unmigratable: status.True(hyperv1.KubeVirtNodesLiveMigratable, status.MsgAllIsWell),
	})
	for _, c := range []status.Condition{
		status.True(hyperv1.PlatformCredentialsFound, msgCredentialsFound),
		{Kind: string(hyperv1.ReconciliationSucceeded), Status: metav1.ConditionTrue, Reason: reasonReconciled,
			Message: msgReconciled},
	} {
		status.Set(&hc.Status.Conditions, hc.Generation, c)
	}
}
