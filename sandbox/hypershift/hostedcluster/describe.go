package hostedcluster

import (
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// hostedView is what one look at a HostedCluster found.
type hostedView struct {
	hcp          *hyperv1.HostedControlPlane // nil before it exists
	gate         releaseGate
	invalid      error // what is wrong with the configuration
	ignition     ignitionState
	unmigratable status.Condition
}

// describeHosted writes what was seen into the status of the HostedCluster.
func describeHosted(g reconciler.Generation, hc *hyperv1.HostedCluster, v hostedView) {
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
	put(v.unmigratable)
	if g.Modern {
		put(status.False(condAutoNode, reasonAutoNodeOff, msgAutoNodeNotConfigured))
	}
	if v.invalid != nil {
		put(status.False(hyperv1.ValidHostedClusterConfiguration, hyperv1.InvalidConfigurationReason, v.invalid.Error()))
	} else {
		put(status.True(hyperv1.ValidHostedClusterConfiguration, status.MsgConfigurationValid))
	}
	put(status.True(hyperv1.SupportedHostedCluster, msgSupported))
	put(status.True(condValidProxy, msgNoProxyCA))
	put(v.ignition.available)
	put(status.ReconciliationActive(hc.Spec.PausedUntil, time.Now()))
	put(v.gate.valid)
	if v.gate.release.Arch != "" {
		hc.Status.PayloadArch = v.gate.release.Arch
	}
	put(progressing(hc, v.gate))
	put(availability(hc, v.hcp))
}
