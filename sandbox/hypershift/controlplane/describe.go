package controlplane

import (
	"fmt"
	"sort"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// describe writes the observations to the status of the HostedControlPlane.
func (r *controlPlanes) describe(hcp *hyperv1.HostedControlPlane, v *observation) {
	put := func(c status.Condition) { status.Set(&hcp.Status.Conditions, hcp.Generation, c) }
	put(status.True(hyperv1.ValidHostedControlPlaneConfiguration, status.MsgConfigurationValid))
	put(v.etcd)
	put(v.kas)
	put(degraded(v.unavailable))
	put(infraCondition(v.infra))
	put(status.Unknown(hyperv1.ExternalDNSReachable, msgExternalDNSOff))
	put(status.ReconciliationActive(hcp.Spec.PausedUntil, time.Now()))
	if v.infra.ready() {
		hcp.Status.ControlPlaneEndpoint = hyperv1.APIEndpoint{Host: v.infra.api.Host,
			Port: int32(v.infra.api.Port)} //nolint:gosec // a port
		hcp.Status.OAuthCallbackURLTemplate = fmt.Sprintf("https://%s/oauth2callback/[identity-provider-name]",
			v.infra.oauth)
	}
	if len(v.components) > 0 {
		put(status.True(hyperv1.ValidReleaseInfo, status.MsgAllIsWell))
		put(status.Condition{Kind: string(hyperv1.ValidIDPConfiguration), Status: metav1.ConditionTrue,
			Reason: reasonIDPValid, Message: msgIDPValid})
	}
	available := hcpAvailable(v, meta.IsStatusConditionTrue(hcp.Status.Conditions,
		string(hyperv1.HostedControlPlaneAvailable)), r.Features.Has(reconciler.ComponentsAwaited))
	put(available)
	hcp.Status.Ready = available.Status == metav1.ConditionTrue
	hcp.Status.Initialized = true
	hcp.Status.ExternalManagedControlPlane = ptr.To(true)
	if v.kubeconfig {
		hcp.Status.KubeConfig = &hyperv1.KubeconfigSecretRef{Name: metadata.AdminKubeconfigSecret,
			Key: metadata.KubeconfigKey}
	}
	hcp.Status.KubeadminPassword = nil
	oauth := hcp.Spec.Configuration != nil && hcp.Spec.Configuration.OAuth != nil
	if v.password && !oauth {
		hcp.Status.KubeadminPassword = &corev1.LocalObjectReference{Name: metadata.KubeadminSecret}
	}
	r.describeGuest(hcp, v)
}

// describeGuest writes the conditions that the config operator reports from inside the guest.
func (r *controlPlanes) describeGuest(hcp *hyperv1.HostedControlPlane, v *observation) {
	if !v.configOperatorRuns() {
		return
	}
	put := func(c status.Condition) { status.Set(&hcp.Status.Conditions, hcp.Generation, c) }
	list := guestConditions(v.nodes, r.FaultOn(fault.DataPlaneCut, hcp))
	if v.encryption.Kind != "" {
		list = append(list, v.encryption)
	}
	for _, c := range list {
		if r.Features.Reports(c.Kind) {
			put(c)
		}
	}
	if !v.version.Reported {
		return
	}
	for _, c := range v.version.ControlPlaneConditions() {
		if r.Features.Reports(c.Kind) {
			put(c)
		}
	}
	hcp.Status.VersionStatus = v.versionStatus
	if v.versionStatus != nil {
		hcp.Status.Version = v.versionStatus.Desired.Version    //nolint:staticcheck // the operator writes it
		hcp.Status.ReleaseImage = v.versionStatus.Desired.Image //nolint:staticcheck // the same
	}
}

// guestConditions are those about the connection to the guest's nodes, and about the config operator itself. cut says
// that no konnectivity agent runs.
func guestConditions(nodes int, cut bool) []status.Condition {
	list := []status.Condition{status.True(status.CondConfigOperator, status.MsgAllIsWell)}
	if nodes > 0 && cut {
		return append(list, status.False(status.CondDataPlaneConnection, reasonNoAgents, msgNoAgents))
	}
	if nodes > 0 {
		return append(list, status.True(status.CondDataPlaneConnection, status.MsgAllIsWell),
			status.True(status.CondControlPlaneConnection, status.MsgAllIsWell))
	}
	return append(list,
		status.Condition{Kind: status.CondDataPlaneConnection, Status: metav1.ConditionUnknown, Reason: reasonNoWorkers,
			Message: msgNoWorkers},
		status.Condition{Kind: status.CondControlPlaneConnection, Status: metav1.ConditionUnknown,
			Reason: reasonNoWorkers, Message: msgNoWorkersForConnection})
}

// degraded returns Degraded: True with a line for each Deployment that has unavailable replicas, whatever the reason.
func degraded(unavailable []error) status.Condition {
	err := utilerrors.NewAggregate(unavailable)
	if err == nil {
		return status.False(hyperv1.HostedControlPlaneDegraded, hyperv1.AsExpectedReason, "")
	}
	return status.Condition{Kind: string(hyperv1.HostedControlPlaneDegraded), Status: metav1.ConditionTrue,
		Reason: reasonUnavailable, Message: err.Error()}
}

// hcpAvailable returns the first reason, in the operator's order, for which a control plane is unavailable. It does not
// check the components of a control plane that was available before.
func hcpAvailable(v *observation, already, awaitsComponents bool) status.Condition {
	no := func(reason, message string) status.Condition {
		return status.False(hyperv1.HostedControlPlaneAvailable, reason, message)
	}
	infra := infraCondition(v.infra)
	switch {
	case infra.Status == metav1.ConditionFalse:
		return no(infra.Reason, infra.Message)
	case !v.kubeconfig:
		return no(hyperv1.KubeconfigWaitingForCreateReason, msgWaitingForKubeconfig)
	case v.etcd.Status == metav1.ConditionFalse:
		return no(v.etcd.Reason, v.etcd.Message)
	case v.kas.Status == metav1.ConditionFalse:
		return no(v.kas.Reason, v.kas.Message)
	case v.health != "":
		return no(hyperv1.KASLoadBalancerNotReachableReason, v.health)
	case already || !awaitsComponents:
		return status.True(hyperv1.HostedControlPlaneAvailable, "")
	case len(v.components) == 0:
		return no(reasonComponentsMissing, msgNoComponents)
	}
	var waiting []string
	for _, c := range v.components {
		if !c.available {
			waiting = append(waiting, c.name)
		}
	}
	if len(waiting) > 0 {
		sort.Strings(waiting)
		return no(reasonComponentsMissing, msgWaitingForComponents(waiting))
	}
	return status.True(hyperv1.HostedControlPlaneAvailable, "")
}
