package hypershift

import (
	"errors"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilversion "k8s.io/apimachinery/pkg/util/version"
)

// upgrading tells whether another image is asked for than the one the cluster version operator works towards, and why the
// operator does not go along: another minor while ClusterVersionUpgradeable is False, unless the annotation
// hypershift.openshift.io/force-upgrade-to names the very image. Patches are always let through. Source: the operator's own
// function of that name.
func upgrading(hc *hyperv1.HostedCluster, payload release) (bool, error) {
	v := hc.Status.Version
	if v == nil || v.Desired.Image == hc.Spec.Release.Image || payload.Version == "" {
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
	case minorOf(payload.Version) == minorOf(v.Desired.Version):
		return true, nil
	}
	return true, errors.New(msgNotUpgradeable)
}

// progressing is the Progressing condition: Blocked while a gate is closed or an upgrade is refused, True while the image
// asked for is not the one being rolled out.
func progressing(hc *hyperv1.HostedCluster, gate releaseGate) condition {
	blocked := func(message string) condition {
		return isFalse(hyperv1.HostedClusterProgressing, hyperv1.BlockedReason, message)
	}
	if gate.blocked != "" {
		return blocked(gate.blocked)
	}
	for _, kind := range []hyperv1.ConditionType{
		hyperv1.ValidHostedClusterConfiguration, hyperv1.SupportedHostedCluster, hyperv1.ValidReleaseImage, hyperv1.ReconciliationActive,
	} {
		c := meta.FindStatusCondition(hc.Status.Conditions, string(kind))
		if c != nil && c.Status == metav1.ConditionFalse {
			return blocked(msgGateClosed(c.Type, c.Message))
		}
	}
	if _, err := upgrading(hc, gate.release); err != nil {
		return blocked(msgGateClosed(string(hyperv1.ClusterVersionUpgradeable), err.Error()))
	}
	if hc.Status.Version == nil || hc.Status.Version.Desired.Image != hc.Spec.Release.Image {
		return condition{string(hyperv1.HostedClusterProgressing), metav1.ConditionTrue, reasonProgressing, msgProgressing}
	}
	return isFalse(hyperv1.HostedClusterProgressing, hyperv1.AsExpectedReason, msgAtExpectedVersion)
}

// controlPlaneVersion is the version the control plane last completed, else the one it is on the way to; empty before the
// guest has said anything.
func controlPlaneVersion(hc *hyperv1.HostedCluster) string {
	v := hc.Status.Version
	if v == nil || len(v.History) == 0 {
		return ""
	}
	for _, h := range v.History {
		if h.State == configv1.CompletedUpdate {
			return h.Version
		}
	}
	return v.History[0].Version
}

// versionSkew holds the pool's version against the control plane's: not newer, and at most three minors older. False stops
// nothing. The words are those of the operator's support/supportedversion.
func versionSkew(hc *hyperv1.HostedCluster, payload release) condition {
	kind := hyperv1.NodePoolSupportedVersionSkewConditionType
	cluster := controlPlaneVersion(hc)
	if cluster == "" {
		return condition{kind, metav1.ConditionUnknown, hyperv1.NodePoolValidationFailedReason, msgVersionIsEmpty}
	}
	if err := checkSkew(payload.Version, cluster); err != nil {
		return poolFalse(kind, hyperv1.NodePoolUnsupportedSkewReason, err.Error())
	}
	return poolTrue(kind, msgReleaseVersionOK)
}

func checkSkew(pool, cluster string) error {
	const most = 3
	switch {
	case newer(pool, cluster):
		return fmt.Errorf("NodePool version %s cannot be higher than the HostedCluster version %s", pool, cluster)
	case minorOf(cluster)-minorOf(pool) > most:
		return fmt.Errorf("NodePool minor version 4.%d is less than 4.%d, which is the minimum NodePool version compatible with the 4.%d HostedCluster",
			minorOf(pool), max(0, minorOf(cluster)-most), minorOf(cluster))
	}
	return nil
}

// newer compares two versions as semantic versions; what is none is never newer.
func newer(a, b string) bool {
	av, aerr := utilversion.ParseSemantic(a)
	bv, berr := utilversion.ParseSemantic(b)
	return aerr == nil && berr == nil && bv.LessThan(av)
}

// poolSupported is the range check for a NodePool's release: as for a HostedCluster, but its ceiling is the control plane's
// minor, and a pool never goes back a minor.
func (g generation) poolSupported(np *hyperv1.NodePool, payload release, cluster string) error {
	if ceiling := minorOf(cluster); ceiling >= 0 && minorOf(payload.Version) > ceiling {
		return fmt.Errorf("the latest version supported is: %q. Attempting to use: %q", cluster, payload.Version)
	}
	return g.supported(payload.Version, np.Status.Version)
}
