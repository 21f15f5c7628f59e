package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The OpenShift versions that hcctl knows: the first 4 minor that can host (Technology Preview), and the last version
// its rules were written for.
const (
	firstMinor = 12
	lastMajor  = 5
	lastMinor  = 1
)

// clusterVersion checks that OpenShift is new enough to host clusters, and that no upgrade is in progress.
type clusterVersion struct {
	// manifests means that operators are installed from manifests, so that no catalog is needed.
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

// judgeClusterVersion requires the capabilities for catalogs, unless operators are installed from manifests.
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
		return step.Broken("%s, so operators cannot be installed from catalogs", describeOff(off)).
			WithHint("%s", capabilitiesOn(cv, off))
	}
	if verdict := health.Of(cv, time.Time{}); !verdict.OK() {
		return verdict.Finding
	}
	message := "OpenShift " + v.String()
	switch {
	case v.Major() == 4 && v.Minor() < prereq.SupportedMinor:
		message += fmt.Sprintf(" (hosting on KubeVirt is a Technology Preview before 4.%d)", prereq.SupportedMinor)
	case openshift.MinorNumber(v.Major(), v.Minor()) > openshift.MinorNumber(lastMajor, lastMinor):
		message += fmt.Sprintf(" (newer than %d.%d, the last this hcctl knows)", lastMajor, lastMinor)
	}
	if len(off) > 0 {
		message += fmt.Sprintf("; %s, so only manifests can be installed", describeOff(off))
	}
	return step.OK("%s", message)
}

// capabilitiesOff returns the capabilities for catalogs that the cluster knows and has not enabled.
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

// describeOff describes disabled capabilities.
func describeOff(off []string) string {
	if len(off) == 1 {
		return "the capability " + off[0] + " is off"
	}
	return "the capabilities " + strings.Join(off, " and ") + " are off"
}

// capabilitiesOn returns the command that enables capabilities. A merge patch replaces the list, so the command repeats
// its present items.
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
