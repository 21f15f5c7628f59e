package creation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// checkRelease compares the release's version, if it is known, with the versions that the operator supports. The
// operator rejects others permanently, once the cluster exists.
func (p *Plan) checkRelease(ctx context.Context, r kube.Reader) step.Finding {
	supported, err := release.SupportedVersions(ctx, r)
	if err != nil {
		return kube.Unknown(err)
	}
	const object = "ConfigMap hypershift/supported-versions"
	version := p.Inputs.ReleaseVersion
	v, known := hostedcluster.ParseVersion(version)
	list := strings.Join(supported, ", ")
	switch {
	case len(supported) == 0:
		return step.Unknown("nothing says which versions the HyperShift operator supports, so that whether it takes %s is "+
			"not known", cmp.Or(version, p.Inputs.ReleaseImage)).On(object).
			WithHint("%s says more; to leave it to the operator: %s %s", hint.Run("check").Flag("only", "hypershift"),
				hint.Flag("skip-preflight"), preflightRelease)
	case TooOldForS390X(p.Options.Arch, supported):
		return step.Broken("workers of s390x need HyperShift 4.%d or later; this operator supports %s", firstOnS390X, list).
			On(object).WithHint("leave out %s, or upgrade multicluster engine to 2.11 or later", hint.Flag("arch"))
	case !known:
		return step.OK("the image does not say its version; the operator supports %s", list).On(object)
	case !v.MinorIn(supported):
		return step.Broken("%s is not supported; the HyperShift operator supports %s on KubeVirt", version, list).
			On(object).WithHint("choose another release with %s or %s, or leave it to hcctl", hint.Flag("version"),
			hint.Flag("channel"))
	}
	return step.OK("%s is supported", version).On(object)
}

// lastZoneBound is the last minor version of OpenShift 4 whose highly available control planes require a zone for each
// pod.
const lastZoneBound = 17

// ZoneBound reports whether the release is known to require a zone for each pod of a highly available control plane
// (control-plane-operator up to 4.17).
func (p *Plan) ZoneBound() bool {
	v, known := hostedcluster.ParseVersion(p.Inputs.ReleaseVersion)
	return known && v.MinorNumber() <= lastZoneBound
}

// firstOnS390X is the first HyperShift minor version that supports KubeVirt clusters with s390x workers, compared with
// the newest one that the operator supports.
const firstOnS390X = 21

// TooOldForS390X reports whether workers have architecture s390x and the operator, by its supported minor versions, is
// too old for that.
func TooOldForS390X(arch string, supported []string) bool {
	if arch != hyperv1.ArchitectureS390X {
		return false
	}
	return !slices.ContainsFunc(supported, func(minor string) bool {
		v, ok := hostedcluster.ParseMinor(minor)
		return ok && v.MinorNumber() >= firstOnS390X
	})
}
