package hypershift

import (
	"fmt"
	"sort"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// describe writes what was seen into the status of the HostedControlPlane.
func (r *controlPlanes) describe(hcp *hyperv1.HostedControlPlane, v *view) {
	put := func(c condition) { set(&hcp.Status.Conditions, hcp.Generation, c) }
	put(isTrue(hyperv1.ValidHostedControlPlaneConfiguration, msgConfigurationValid))
	put(v.etcd)
	put(v.kas)
	put(notDegraded())
	put(infraCondition(v.infra))
	put(isUnknown(hyperv1.ExternalDNSReachable, msgExternalDNSOff))
	put(activeCondition(hcp.Spec.PausedUntil, time.Now()))
	if v.infra.ready() {
		hcp.Status.ControlPlaneEndpoint = hyperv1.APIEndpoint{Host: v.infra.apiHost, Port: apiPort}
		hcp.Status.OAuthCallbackURLTemplate = fmt.Sprintf("https://%s:443/oauth2callback/[identity-provider-name]", v.infra.oauthHost)
	}
	if len(v.components) > 0 {
		put(isTrue(hyperv1.ValidReleaseInfo, msgAllIsWell))
		put(condition{string(hyperv1.ValidIDPConfiguration), metav1.ConditionTrue, reasonIDPValid, msgIDPValid})
	}
	available := hcpAvailable(v, meta.IsStatusConditionTrue(hcp.Status.Conditions, string(hyperv1.HostedControlPlaneAvailable)))
	put(available)
	hcp.Status.Ready = available.status == metav1.ConditionTrue
	hcp.Status.Initialized = true
	if v.kubeconfig {
		hcp.Status.KubeConfig = &hyperv1.KubeconfigSecretRef{Name: adminKubeconfigSecret, Key: kubeconfigKey}
	}
	hcp.Status.KubeadminPassword = nil
	oauth := hcp.Spec.Configuration != nil && hcp.Spec.Configuration.OAuth != nil
	if v.password && !oauth {
		hcp.Status.KubeadminPassword = &corev1.LocalObjectReference{Name: kubeadminSecret}
	}
	r.describeGuest(hcp, v)
}

// describeGuest writes what the config operator reports from inside the guest.
func (r *controlPlanes) describeGuest(hcp *hyperv1.HostedControlPlane, v *view) {
	if v.guest.phase != guestRunning || !v.available("hosted-cluster-config-operator") {
		return
	}
	put := func(c condition) { set(&hcp.Status.Conditions, hcp.Generation, c) }
	if r.gen.modern {
		put(isTrue(condConfigOperator, msgAllIsWell))
		if v.nodes == 0 {
			put(condition{condDataPlaneConnection, metav1.ConditionUnknown, reasonNoWorkers, msgNoWorkers})
			put(condition{condControlPlaneConnection, metav1.ConditionUnknown, reasonNoWorkers, msgNoWorkersForConnection})
		} else {
			put(isTrue(condDataPlaneConnection, msgAllIsWell))
			put(isTrue(condControlPlaneConnection, msgAllIsWell))
		}
	}
	if !v.version.reported {
		return
	}
	for _, c := range v.version.bubbled() {
		put(c)
	}
	hcp.Status.NodeCount = ptr.To(v.nodes)
	hcp.Status.VersionStatus = v.told
}

// notDegraded is Degraded. Guess: the real operator turns it True and names each Deployment with unavailable replicas, yet
// the recorded stages show it False throughout a start; faults that would turn it True are not played yet.
func notDegraded() condition {
	return isFalse(hyperv1.HostedControlPlaneDegraded, hyperv1.AsExpectedReason, "")
}

// hcpAvailable goes through the reasons a control plane can be unavailable for, in the operator's order.
// A control plane that was available once is not asked about its components again.
func hcpAvailable(v *view, already bool) condition {
	no := func(reason, message string) condition {
		return isFalse(hyperv1.HostedControlPlaneAvailable, reason, message)
	}
	infra := infraCondition(v.infra)
	switch {
	case infra.status == metav1.ConditionFalse:
		return no(infra.reason, infra.message)
	case !v.kubeconfig:
		return no(hyperv1.KubeconfigWaitingForCreateReason, msgWaitingForKubeconfig)
	case v.etcd.status == metav1.ConditionFalse:
		return no(v.etcd.reason, v.etcd.message)
	case v.kas.status == metav1.ConditionFalse:
		return no(v.kas.reason, v.kas.message)
	case v.health != "":
		return no(hyperv1.KASLoadBalancerNotReachableReason, v.health)
	case already:
		return isTrue(hyperv1.HostedControlPlaneAvailable, "")
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
	return isTrue(hyperv1.HostedControlPlaneAvailable, "")
}
