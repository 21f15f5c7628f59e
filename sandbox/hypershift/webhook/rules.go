// Package webhook simulates the HyperShift operator's defaulting and validating webhooks.
package webhook

import (
	"context"
	"errors"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// multicluster-engine 2.2 and 2.3 install the operator without webhooks, 2.4 with the defaulting one, 2.5 and later
// also with the validating one. None handles HostedControlPlanes.

// clusterDefaults is the defaulting webhook for HostedClusters. It runs before the validation by the CRD's schema.
type clusterDefaults struct{ reconciler.Base }

// Default implements admission.Defaulter.
func (d *clusterDefaults) Default(_ context.Context, hc *hyperv1.HostedCluster) error {
	if hc.Spec.Release.Image == "" {
		image, err := d.latestSupported()
		if err != nil {
			return fmt.Errorf("unable to find default release image: %w", err)
		}
		hc.Spec.Release.Image = image
	}
	if hc.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return nil
	}
	if hc.Spec.Platform.Kubevirt == nil {
		hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{}
	}
	if hc.Spec.Platform.Kubevirt.GenerateID == "" {
		hc.Spec.Platform.Kubevirt.GenerateID = utilrand.String(10)
	}
	if hc.Spec.DNS.BaseDomain == "" {
		hc.Spec.Platform.Kubevirt.BaseDomainPassthrough = ptr.To(true)
	}
	if hc.Spec.Networking.NetworkType == "" {
		hc.Spec.Networking.NetworkType = hyperv1.OVNKubernetes
	}
	for _, service := range []struct {
		name hyperv1.ServiceType
		how  hyperv1.PublishingStrategyType
	}{
		{hyperv1.APIServer, hyperv1.LoadBalancer}, {hyperv1.Ignition, hyperv1.Route},
		{hyperv1.Konnectivity, hyperv1.Route}, {hyperv1.OAuthServer, hyperv1.Route},
	} {
		if reconciler.Publishing(hc.Spec.Services, service.name) == nil {
			hc.Spec.Services = append(hc.Spec.Services, hyperv1.ServicePublishingStrategyMapping{
				Service: service.name, ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: service.how},
			})
		}
	}
	return nil
}

// releaseService is the operator's source of the latest release.
const releaseService = "multi.ocp.releases.ci.openshift.org"

// latestSupported returns the vendor's release service's answer: the newest patch of the newest minor that this
// operator can create, for many architectures. A cluster without access to the internet gets none. Here that service
// and the ClusterImageSets agree on the newest release, which the real ones need not.
func (d *clusterDefaults) latestSupported() (string, error) {
	if d.Profile.Mirror != nil || len(d.Features.Versions) == 0 {
		return "", fmt.Errorf("Get %q: dial tcp: lookup %s: no such host", //nolint:staticcheck // Go's own message
			"https://"+releaseService+"/api/v1/releasestream/4-stable-multi/latest", releaseService)
	}
	minor, latest := release.Minor(d.Features.Versions[0]), ""
	for _, s := range d.Profile.ImageSets(profile.MCEChannel{HostedVersions: d.Features.Versions}) {
		r, err := d.Registry().Lookup(s.ReleaseImage)
		if err == nil && release.Minor(r.Version) == minor && s.Channel == "fast" && r.Arch == hyperv1.Multi {
			latest = s.ReleaseImage
		}
	}
	if latest == "" {
		return "", fmt.Errorf("no release of %s", d.Features.Versions[0])
	}
	return latest, nil
}

// poolDefaults is the defaulting webhook for NodePools.
type poolDefaults struct{ reconciler.Base }

// Default implements admission.Defaulter.
func (d *poolDefaults) Default(ctx context.Context, np *hyperv1.NodePool) error {
	if np.Spec.Release.Image == "" {
		if np.Spec.ClusterName == "" {
			return errors.New("nodePool.Spec.ClusterName is a required field")
		}
		// The real webhook reads its cache, and can miss a new HostedCluster.
		hc := &hyperv1.HostedCluster{}
		if err := d.Live.Get(ctx, types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName},
			hc); err != nil {
			return fmt.Errorf("error retrieving HostedCluster named [%s], %w", np.Spec.ClusterName, err)
		}
		np.Spec.Release.Image = hc.Spec.Release.Image
	}
	if np.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return nil
	}
	if np.Spec.Platform.Kubevirt == nil {
		np.Spec.Platform.Kubevirt = &hyperv1.KubevirtNodePoolPlatform{}
	}
	if np.Spec.Management.UpgradeType == "" {
		np.Spec.Management.UpgradeType = hyperv1.UpgradeTypeReplace
		np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{}
	}
	return nil
}

// clusterRules and poolRules are the validating webhooks. They only check the syntax of one annotation: the operator
// removed checks of releases and infrastructure, because these required an order of objects.
type (
	clusterRules struct{}
	poolRules    struct{}
)

// ValidateCreate implements admission.Validator.
func (clusterRules) ValidateCreate(_ context.Context, hc *hyperv1.HostedCluster) (admission.Warnings, error) {
	if hc.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return nil, nil
	}
	return nil, checkPatchAnnotation(hc.Annotations)
}

// ValidateUpdate implements admission.Validator.
func (r clusterRules) ValidateUpdate(ctx context.Context, _, hc *hyperv1.HostedCluster) (admission.Warnings, error) {
	return r.ValidateCreate(ctx, hc)
}

// ValidateDelete implements admission.Validator.
func (clusterRules) ValidateDelete(context.Context, *hyperv1.HostedCluster) (admission.Warnings, error) {
	return nil, nil
}

// ValidateCreate implements admission.Validator.
func (poolRules) ValidateCreate(_ context.Context, np *hyperv1.NodePool) (admission.Warnings, error) {
	if np.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return nil, nil
	}
	return nil, checkPatchAnnotation(np.Annotations)
}

// ValidateUpdate implements admission.Validator.
func (r poolRules) ValidateUpdate(ctx context.Context, _, np *hyperv1.NodePool) (admission.Warnings, error) {
	return r.ValidateCreate(ctx, np)
}

// ValidateDelete implements admission.Validator.
func (poolRules) ValidateDelete(context.Context, *hyperv1.NodePool) (admission.Warnings, error) {
	return nil, nil
}

// checkPatchAnnotation checks that the annotation that patches virtual machines is a JSON patch.
func checkPatchAnnotation(annotations map[string]string) error {
	text, ok := annotations[hyperv1.JSONPatchAnnotation]
	if !ok {
		return nil
	}
	wrong := func(err error) error {
		return fmt.Errorf("wrong json patch structure in the %q annotation: %w", hyperv1.JSONPatchAnnotation, err)
	}
	patch, err := jsonpatch.DecodePatch([]byte(text))
	if err != nil {
		return wrong(err)
	}
	for _, p := range patch {
		switch p.Kind() {
		case "unknown":
			return wrong(errors.New("missing op field"))
		case "delete": // the operator's own word; a JSON patch has remove
		default:
			if v, err := p.ValueInterface(); err != nil {
				return fmt.Errorf("%w, %v", wrong(err), v)
			}
		}
		if _, err := p.Path(); err != nil {
			return wrong(err)
		}
	}
	return nil
}
