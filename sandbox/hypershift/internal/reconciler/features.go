package reconciler

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// Features are the differences between the HyperShift operators of multicluster-engine versions.
type Features struct {
	// Versions are the minors that it lists as supported, newest first, and LeastOnKubeVirt is the oldest of them that it
	// creates on KubeVirt.
	Versions        []string
	LeastOnKubeVirt string
	// ValidatesInfra: it requires KubeVirt >= 1.0.0 and Kubernetes >= 1.27 (multicluster-engine 2.5 and later).
	ValidatesInfra bool
	// Defaults and Validates: it runs the defaulting webhook (2.4 and later), the validating one (2.5 and later).
	Defaults, Validates bool
	// HyperShift is its version: the Y of OpenShift 4.Y, or profile.NewestHyperShift.
	HyperShift int
}

// InstalledFeatures reads the version from the MultiClusterEngine, because a profile can offer several. Without a
// version in the status it uses the profile's default channel.
func InstalledFeatures(ctx context.Context, env operator.Env) (Features, error) {
	channel := env.Profile.MCE()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "multicluster.openshift.io", Version: "v1", Kind: "MultiClusterEngineList",
	})
	if err := env.Client.List(ctx, list); err != nil && !meta.IsNoMatchError(err) {
		return Features{}, fmt.Errorf("list MultiClusterEngines: %w", err)
	}
	for i := range list.Items {
		version, _, err := unstructured.NestedString(list.Items[i].Object, "status", "currentVersion")
		if err != nil {
			return Features{}, fmt.Errorf("MultiClusterEngine %s: status.currentVersion: %w", list.Items[i].GetName(), err)
		}
		if c, ok := env.Profile.MCEByVersion(version); ok {
			channel = c
		}
	}
	return FeaturesOf(channel), nil
}

// FeaturesOf returns the features of the operator that a channel of the multicluster-engine installs.
//
// Conditions of the control plane come from the hosted cluster's release. Here they go by the operator's version.
func FeaturesOf(c profile.MCEChannel) Features {
	return Features{Versions: c.HostedVersions, LeastOnKubeVirt: c.LeastOnKubeVirt,
		ValidatesInfra: c.ValidatesInfra, HyperShift: c.HyperShift,
		Defaults: c.DefaultingWebhook, Validates: c.ValidatingWebhook}
}

// Supported is the operator's own range check (support/supportedversion). current is the running version of the
// cluster, or empty before its first roll-out.
func (g Features) Supported(version, current string) error {
	if len(g.Versions) == 0 {
		return nil
	}
	latest, lowest := g.Versions[0], g.LeastOnKubeVirt
	minor := release.Minor(version)
	switch {
	case minor < 8:
		return fmt.Errorf("releases before 4.8 are not supported. Attempting to use: %q", version)
	case current != "" && release.Minor(current) > minor:
		return fmt.Errorf("y-stream downgrade from %q to %q is not supported", current, version)
	case minor > release.Minor(latest):
		return fmt.Errorf("the latest version supported is: %q. Attempting to use: %q", latest, version)
	case minor < release.Minor(lowest):
		return fmt.Errorf("the minimum version supported for platform KubeVirt is: %q. Attempting to use: %q", lowest,
			version)
	}
	return nil
}
