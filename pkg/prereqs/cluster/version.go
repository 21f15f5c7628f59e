package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	configv1 "github.com/openshift/api/config/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The OpenShift minors hcctl knows: the first that can host (Technology Preview), the first that is supported to host
// on KubeVirt, and the last its rules were written for.
const (
	firstMinor = 12
	lastMajor  = 5
	lastMinor  = 1
)

// clusterVersion checks that OpenShift is new enough to host clusters, and not in the middle of an upgrade.
type clusterVersion struct {
	// manifests is set where operators come as manifests, so that no catalog is needed.
	manifests bool
}

func (s clusterVersion) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: prereq.ClusterVersion, Title: "OpenShift version",
		Check: s.check, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadVersion()}},
	}
}

func (s clusterVersion) check(ctx context.Context, r kube.Reader) step.Finding {
	cv, err := prereq.GetClusterVersion(ctx, r)
	switch {
	case apierrors.IsNotFound(err):
		return step.Broken("the cluster has no ClusterVersion: it is not OpenShift").On("ClusterVersion version").
			WithHint("KubeVirt hosted clusters need OpenShift 4.%d or later to manage them", firstMinor)
	case err != nil:
		return kube.Unknown(err).On("ClusterVersion version")
	}
	return judgeClusterVersion(cv, s.manifests).On("ClusterVersion version")
}

// judgeClusterVersion asks for no operator catalogs where the operators come as manifests.
func judgeClusterVersion(cv *configv1.ClusterVersion, manifests bool) step.Finding {
	v, err := prereq.InstalledVersion(cv)
	if err != nil {
		return step.Pending("%v", err)
	}
	if v.Major() == 4 && v.Minor() < firstMinor {
		return step.Broken("OpenShift %s cannot host clusters on KubeVirt: 4.%d is the first that can", v, firstMinor).
			WithHint("upgrade the management cluster to 4.%d or later, the first supported release", prereq.SupportedMinor)
	}
	off := capabilitiesOff(cv)
	if len(off) > 0 && !manifests {
		return step.Broken("%s, so operators cannot be installed from catalogs", toldOff(off)).
			WithHint("%s", capabilitiesOn(cv, off))
	}
	if f := judgeUpgrade(cv, v); f != nil {
		return *f
	}
	message := "OpenShift " + v.String()
	switch {
	case v.Major() == 4 && v.Minor() < prereq.SupportedMinor:
		message += fmt.Sprintf(" (hosting on KubeVirt is a Technology Preview before 4.%d)", prereq.SupportedMinor)
	case openshift.MinorNumber(v.Major(), v.Minor()) > openshift.MinorNumber(lastMajor, lastMinor):
		message += fmt.Sprintf(" (newer than %d.%d, the last this hcctl knows)", lastMajor, lastMinor)
	}
	if len(off) > 0 {
		message += fmt.Sprintf("; %s, so only manifests can be installed", toldOff(off))
	}
	return step.OK("%s", message)
}

// judgeUpgrade is nil unless the cluster version operator is at work, or fails.
func judgeUpgrade(cv *configv1.ClusterVersion, installed *semver.Version) *step.Finding {
	target := ""
	if len(cv.Status.History) > 0 && cv.Status.History[0].State != configv1.CompletedUpdate {
		target = cv.Status.History[0].Version
	}
	conditions := map[configv1.ClusterStatusConditionType]configv1.ClusterOperatorStatusCondition{}
	for _, c := range cv.Status.Conditions {
		conditions[c.Type] = c
	}
	doing := fmt.Sprintf("OpenShift %s", installed)
	if target != "" && target != installed.String() {
		doing = fmt.Sprintf("the upgrade from OpenShift %s to %s", installed, target)
	}
	var f step.Finding
	if seen := cv.Status.ObservedGeneration; seen != 0 && seen < cv.Generation {
		f = step.Pending("%s: the cluster version operator has not processed the newest change of its ClusterVersion yet",
			doing).WithHint("oc get pods -n openshift-cluster-version; oc adm upgrade")
		return &f
	}
	failing, progressing := conditions["Failing"], conditions[configv1.OperatorProgressing]
	switch {
	case failing.Status == configv1.ConditionTrue:
		f = step.Pending("%s is failing (%s): %s", doing, failing.Reason, failing.Message).
			WithHint("oc get clusterversion version -o yaml; oc get clusteroperators")
	case progressing.Status == configv1.ConditionTrue && target != "" && target != installed.String():
		f = step.Pending("%s is under way: %s", doing, progressing.Message).WithHint("wait for its end: oc adm upgrade")
	case progressing.Status == configv1.ConditionTrue:
		f = step.Pending("%s is being rolled out: %s", doing, progressing.Message).
			WithHint("wait for its end: oc adm upgrade")
	case target != "":
		f = step.Pending("%s is not complete yet", doing).WithHint("oc adm upgrade")
	default:
		return nil
	}
	return &f
}

// capabilitiesOff are those that catalogs need, which the cluster knows and has not enabled.
func capabilitiesOff(cv *configv1.ClusterVersion) []string {
	var off []string
	for _, c := range []configv1.ClusterVersionCapability{configv1.ClusterVersionCapabilityMarketplace,
		configv1.ClusterVersionCapabilityOperatorLifecycleManager} {
		known := cv.Status.Capabilities
		if slices.Contains(known.KnownCapabilities, c) && !slices.Contains(known.EnabledCapabilities, c) {
			off = append(off, string(c))
		}
	}
	return off
}

// toldOff says that capabilities are off.
func toldOff(off []string) string {
	if len(off) == 1 {
		return "the capability " + off[0] + " is off"
	}
	return "the capabilities " + strings.Join(off, " and ") + " are off"
}

// capabilitiesOn is the command that enables them. A merge patch replaces the list, so it carries what is in it
// already.
func capabilitiesOn(cv *configv1.ClusterVersion, off []string) string {
	var all []string
	if cv.Spec.Capabilities != nil {
		for _, c := range cv.Spec.Capabilities.AdditionalEnabledCapabilities {
			all = append(all, string(c))
		}
	}
	for _, c := range off {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return fmt.Sprintf(`oc patch clusterversion version --type=merge -p '{"spec":{"capabilities":{`+
		`"additionalEnabledCapabilities":["%s"]}}}'`, strings.Join(all, `","`))
}
