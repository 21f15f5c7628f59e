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

// Generation is what differs between the HyperShift operators of different multicluster-engine versions.
type Generation struct {
	// Versions are the minors it can create, newest first.
	Versions []string
	// ValidatesInfra: it demands KubeVirt >= 1.0.0 and Kubernetes >= 1.27 (multicluster-engine 2.5 and later).
	ValidatesInfra bool
	// defaults and validates: it runs the defaulting webhook (2.4 and later), the validating one (2.5 and later).
	Defaults, Validates bool
	// Modern: it reports the conditions that later operators added.
	Modern bool
}

// InstalledGeneration asks the MultiClusterEngine for its version, because a profile can offer more than one; before
// its status says so, the profile's default channel counts.
func InstalledGeneration(ctx context.Context, env operator.Env) (Generation, error) {
	channel := env.Profile.MCE()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "multicluster.openshift.io", Version: "v1", Kind: "MultiClusterEngineList",
	})
	if err := env.Client.List(ctx, list); err != nil && !meta.IsNoMatchError(err) {
		return Generation{}, fmt.Errorf("list MultiClusterEngines: %w", err)
	}
	for i := range list.Items {
		version, _, err := unstructured.NestedString(list.Items[i].Object, "status", "currentVersion")
		if err != nil {
			return Generation{}, fmt.Errorf("MultiClusterEngine %s: status.currentVersion: %w", list.Items[i].GetName(), err)
		}
		if c, ok := env.Profile.MCEByVersion(version); ok {
			channel = c
		}
	}
	return GenerationOf(channel), nil
}

// GenerationOf is the generation that a channel of the multicluster-engine installs.
//
// Guess: where exactly each condition was added differs from release to release. The generation that validates the
// infrastructure (2.5 and later) reports all of them here, the older ones none.
func GenerationOf(c profile.MCEChannel) Generation {
	return Generation{Versions: c.HostedVersions, ValidatesInfra: c.ValidatesInfra, Modern: c.ValidatesInfra,
		Defaults: c.DefaultingWebhook, Validates: c.ValidatingWebhook}
}

// Supported is the operator's own range check (support/supportedversion). current is the version the cluster runs, or
// empty before its first rollout.
func (g Generation) Supported(version, current string) error {
	if len(g.Versions) == 0 {
		return nil
	}
	latest, lowest := g.Versions[0], g.Versions[len(g.Versions)-1]
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
