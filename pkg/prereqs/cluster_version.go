package prereqs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"
	configv1 "github.com/openshift/api/config/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The first OpenShift minors that can host (Technology Preview) and that are supported to host on KubeVirt.
const (
	firstMinor     = 12
	supportedMinor = 14
)

// clusterVersion: an OpenShift that can host, and is not in the middle of an upgrade.
type clusterVersion struct{ c *kube.Client }

func (s clusterVersion) step() step.Step {
	return step.Step{ID: ClusterVersion, Title: "OpenShift version", Check: s.check, Timeout: 10 * time.Minute}
}

func (s clusterVersion) check(ctx context.Context) step.Finding {
	cv, err := getClusterVersion(ctx, s.c)
	switch {
	case apierrors.IsNotFound(err):
		return step.Stuck("the cluster has no ClusterVersion: it is not OpenShift").On("ClusterVersion version").
			WithHint("KubeVirt hosted clusters need OpenShift 4.%d or later to manage them", firstMinor)
	case err != nil:
		return kube.Unread(err).On("ClusterVersion version")
	}
	return judgeClusterVersion(cv).On("ClusterVersion version")
}

func judgeClusterVersion(cv *configv1.ClusterVersion) step.Finding {
	v, err := installedVersion(cv)
	if err != nil {
		return step.Waiting("%v", err)
	}
	if v.Major() == 4 && v.Minor() < firstMinor {
		return step.Stuck("OpenShift %s cannot host clusters on KubeVirt: 4.%d is the first that can", v, firstMinor).
			WithHint("upgrade the management cluster to 4.%d or later, the first supported release", supportedMinor)
	}
	for _, capability := range []configv1.ClusterVersionCapability{configv1.ClusterVersionCapabilityMarketplace, configv1.ClusterVersionCapabilityOperatorLifecycleManager} {
		capabilities := cv.Status.Capabilities
		if slices.Contains(capabilities.KnownCapabilities, capability) && !slices.Contains(capabilities.EnabledCapabilities, capability) {
			return step.Stuck("the capability %s is off, so operators cannot be installed", capability).
				WithHint(`oc patch clusterversion version --type=merge -p '{"spec":{"capabilities":{"additionalEnabledCapabilities":[%q]}}}' (add to the list that is there)`, capability)
		}
	}
	for _, c := range cv.Status.Conditions {
		switch {
		case c.Type == "Failing" && c.Status == configv1.ConditionTrue:
			return step.Waiting("OpenShift %s is failing: %s: %s", v, c.Reason, c.Message).WithHint("oc get clusterversion version -o yaml")
		case c.Type == configv1.OperatorProgressing && c.Status == configv1.ConditionTrue:
			return step.Waiting("OpenShift is changing its version: %s", c.Message)
		}
	}
	if v.Major() == 4 && v.Minor() < supportedMinor {
		return step.Okay("OpenShift %s (hosting on KubeVirt is a Technology Preview before 4.%d)", v, supportedMinor)
	}
	return step.Okay("OpenShift %s", v)
}

func getClusterVersion(ctx context.Context, c *kube.Client) (*configv1.ClusterVersion, error) {
	cv := &configv1.ClusterVersion{}
	if err := c.Get(ctx, types.NamespacedName{Name: "version"}, cv); err != nil {
		return nil, err
	}
	return cv, nil
}

// installedVersion is the newest version that was rolled out completely, or the desired one where the history has none.
func installedVersion(cv *configv1.ClusterVersion) (*semver.Version, error) {
	text := cv.Status.Desired.Version
	for _, h := range cv.Status.History {
		if h.State == configv1.CompletedUpdate {
			text = h.Version
			break
		}
	}
	if text == "" {
		return nil, errors.New("the cluster does not tell its version yet")
	}
	v, err := semver.NewVersion(text)
	if err != nil {
		return nil, fmt.Errorf("the cluster's version %q cannot be read: %w", text, err)
	}
	return v, nil
}

// openShift reads the version of the cluster.
func openShift(ctx context.Context, c *kube.Client) (*semver.Version, error) {
	cv, err := getClusterVersion(ctx, c)
	if err != nil {
		return nil, err
	}
	return installedVersion(cv)
}
