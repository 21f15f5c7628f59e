package hostedcluster

import (
	"errors"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// upgrading reports whether the requested image differs from the cluster version operator's target, and returns an
// error if the operator refuses the upgrade. It refuses another minor while ClusterVersionUpgradeable is False, unless
// the annotation hypershift.openshift.io/force-upgrade-to has this image; it never refuses patches. Source: the
// operator's own function of that name.
func upgrading(hc *hyperv1.HostedCluster, payload release.Payload) (bool, error) {
	v := hc.Status.Version
	if v == nil || release.Is(v.Desired.Image, hc.Spec.Release.Image) || payload.Version == "" {
		return false, nil
	}
	if !meta.IsStatusConditionFalse(hc.Status.Conditions, string(hyperv1.ClusterVersionUpgradeable)) {
		return true, nil
	}
	switch forced, ok := hc.Annotations[hyperv1.ForceUpgradeToAnnotation]; {
	case ok && forced != hc.Spec.Release.Image:
		return true, errors.New(msgForcedElsewhere)
	case ok:
		return true, nil
	case release.Minor(payload.Version) == release.Minor(v.Desired.Version):
		return true, nil
	}
	return true, errors.New(msgNotUpgradeable)
}

// progressing returns the Progressing condition: Blocked while a gate is closed or an upgrade is refused, True until
// the requested image is being rolled out.
func progressing(hc *hyperv1.HostedCluster, gate releaseGate) status.Condition {
	blocked := func(message string) status.Condition {
		return status.False(hyperv1.HostedClusterProgressing, hyperv1.BlockedReason, message)
	}
	if gate.blocked != "" {
		return blocked(gate.blocked)
	}
	for _, kind := range []hyperv1.ConditionType{
		hyperv1.ValidHostedClusterConfiguration, hyperv1.SupportedHostedCluster, hyperv1.ValidReleaseImage,
		hyperv1.ReconciliationActive,
	} {
		c := meta.FindStatusCondition(hc.Status.Conditions, string(kind))
		if c != nil && c.Status == metav1.ConditionFalse {
			return blocked(msgGateClosed(c.Type, c.Message))
		}
	}
	if _, err := upgrading(hc, gate.release); err != nil {
		return blocked(msgGateClosed(string(hyperv1.ClusterVersionUpgradeable), err.Error()))
	}
	if hc.Status.Version == nil || !release.Is(hc.Status.Version.Desired.Image, hc.Spec.Release.Image) {
		return status.Condition{Kind: string(hyperv1.HostedClusterProgressing), Status: metav1.ConditionTrue,
			Reason: reasonProgressing, Message: msgProgressing}
	}
	return status.False(hyperv1.HostedClusterProgressing, hyperv1.AsExpectedReason, msgAtExpectedVersion)
}
