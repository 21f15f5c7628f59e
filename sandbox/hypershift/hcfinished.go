package hypershift

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// describeFinishedHosted gives a HostedCluster the status it has when its control plane is finished.
func describeFinishedHosted(g generation, hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane, payload release, ignitionHost string) {
	describeHosted(g, hc, hostedView{
		hcp: hcp, gate: releaseGate{release: payload, valid: isTrue(hyperv1.ValidReleaseImage, msgReleaseImageValid)},
		ignition:     ignitionState{endpoint: ignitionHost, available: isTrue(hyperv1.IgnitionEndpointAvailable, msgIgnitionAvailable)},
		unmigratable: isTrue(hyperv1.KubeVirtNodesLiveMigratable, msgAllIsWell),
	})
	for _, c := range []condition{
		isTrue(hyperv1.PlatformCredentialsFound, msgCredentialsFound),
		{string(hyperv1.ReconciliationSucceeded), metav1.ConditionTrue, reasonReconciled, msgReconciled},
	} {
		set(&hc.Status.Conditions, hc.Generation, c)
	}
}
