package hostedcluster

import (
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// observation is the state of a HostedCluster in one reconcile.
type observation struct {
	hcp          *hyperv1.HostedControlPlane // nil before it exists
	gate         releaseGate
	invalid      error // the error of the configuration
	ignition     ignitionState
	unmigratable status.Condition
}

// describeHosted writes the observations to the status of the HostedCluster.
func describeHosted(g reconciler.Features, hc *hyperv1.HostedCluster, v observation) {
	put := func(c status.Condition) { status.Set(&hc.Status.Conditions, hc.Generation, c) }
	hc.Status.Version = versionStatus(hc, v.hcp)
	if hcp := v.hcp; hcp != nil {
		hc.Status.ControlPlaneEndpoint = hcp.Status.ControlPlaneEndpoint
		hc.Status.OAuthCallbackURLTemplate = hcp.Status.OAuthCallbackURLTemplate
		hc.Status.Platform = hcp.Status.Platform
		hc.Status.Configuration = hcp.Status.Configuration
	}
	if v.ignition.endpoint != "" {
		hc.Status.IgnitionEndpoint = v.ignition.endpoint
	}
	copyControlPlane(g, hc, v.hcp)
	if hc.Spec.Platform.Type == hyperv1.KubevirtPlatform && g.Reports(string(hyperv1.KubeVirtNodesLiveMigratable)) {
		put(v.unmigratable)
	}
	if g.Reports(status.CondAutoNode) {
		put(status.False(status.CondAutoNode, reasonAutoNodeOff, msgAutoNodeNotConfigured))
	}
	if v.invalid != nil {
		put(status.False(hyperv1.ValidHostedClusterConfiguration, hyperv1.InvalidConfigurationReason, v.invalid.Error()))
	} else {
		put(status.True(hyperv1.ValidHostedClusterConfiguration, status.MsgConfigurationValid))
	}
	put(status.True(hyperv1.SupportedHostedCluster, msgSupported))
	if g.Reports(status.CondValidProxy) {
		put(status.True(status.CondValidProxy, msgNoProxyCA))
	}
	put(v.ignition.available)
	put(status.ReconciliationActive(hc.Spec.PausedUntil, time.Now()))
	put(v.gate.valid)
	if v.gate.release.Arch != "" {
		hc.Status.PayloadArch = v.gate.release.Arch
	}
	put(progressing(hc, v.gate))
	put(availability(hc, v.hcp))
}
