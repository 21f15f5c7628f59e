package nodepool

import (
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// controlPlaneVersion returns the last completed version of the control plane, else its target version; "" before the
// guest has reported.
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

// versionSkew checks the pool's version against the control plane's: not newer, and at most three minors older. False
// blocks nothing; the messages are those of the operator's support/supportedversion.
func versionSkew(hc *hyperv1.HostedCluster, payload release.Payload) status.Condition {
	kind := hyperv1.NodePoolSupportedVersionSkewConditionType
	cluster := controlPlaneVersion(hc)
	if cluster == "" {
		return status.Condition{Kind: kind, Status: metav1.ConditionUnknown, Reason: hyperv1.NodePoolValidationFailedReason,
			Message: msgVersionIsEmpty}
	}
	if err := checkSkew(payload.Version, cluster); err != nil {
		return poolFalse(kind, hyperv1.NodePoolUnsupportedSkewReason, err.Error())
	}
	return poolTrue(kind, msgReleaseVersionOK)
}

func checkSkew(pool, cluster string) error {
	const most = 3
	switch {
	case release.Newer(pool, cluster):
		return fmt.Errorf("NodePool version %s cannot be higher than the HostedCluster version %s", pool, cluster)
	case release.Minor(cluster)-release.Minor(pool) > most:
		return fmt.Errorf("NodePool minor version %s is less than %s, which is the minimum NodePool version compatible "+
			"with the %s HostedCluster",
			minorOf(pool), profile.MinorName(max(0, release.Minor(cluster)-most)), minorOf(cluster))
	}
	return nil
}

// minorOf is the name that a release itself has for its minor.
func minorOf(version string) string { return strings.Join(strings.SplitN(version, ".", 3)[:2], ".") }

// poolSupported is the range check for a NodePool's release. It is the HostedCluster's check with the control plane's
// minor as maximum, and a pool can never go back a minor.
func poolSupported(g reconciler.Features, np *hyperv1.NodePool, payload release.Payload, cluster string) error {
	if ceiling := release.Minor(cluster); ceiling >= 0 && release.Minor(payload.Version) > ceiling {
		return fmt.Errorf("the latest version supported is: %q. Attempting to use: %q", cluster, payload.Version)
	}
	return g.Supported(payload.Version, np.Status.Version)
}
