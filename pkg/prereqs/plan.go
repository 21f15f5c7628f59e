package prereqs

import (
	"cmp"
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
)

// Planning returns a client whose writes change nothing and are kept as a plan; see kube.Client.Planning. A Subscription it
// would have written shows as installed to later steps, in the version that the catalog offers, so that what rests on the
// operator can be planned as well.
func Planning(c *kube.Client) (*kube.Client, *plan.Plan) {
	return c.Planning(func(ctx context.Context, written *unstructured.Unstructured) []*unstructured.Unstructured {
		if written.GroupVersionKind().GroupKind() != (schema.GroupKind{Group: "operators.coreos.com", Kind: "Subscription"}) {
			return nil
		}
		return foreseeInstalled(ctx, c, written)
	})
}

// foreseeInstalled is a Subscription and its ClusterServiceVersion as they will be once OLM has installed it; nothing where
// the catalog cannot be read.
func foreseeInstalled(ctx context.Context, c *kube.Client, sub *unstructured.Unstructured) []*unstructured.Unstructured {
	name := cmp.Or(kube.Text(sub, "spec", "startingCSV"), offeredCSV(ctx, c, sub))
	_, version, versioned := strings.Cut(name, ".v")
	if !versioned {
		return nil
	}
	csv := &unstructured.Unstructured{Object: map[string]any{
		"spec":   map[string]any{"version": version},
		"status": map[string]any{"phase": "Succeeded"},
	}}
	csv.SetGroupVersionKind(sub.GroupVersionKind().GroupVersion().WithKind("ClusterServiceVersion"))
	csv.SetNamespace(sub.GetNamespace())
	csv.SetName(name)
	installed := sub.DeepCopy()
	installed.Object["status"] = map[string]any{"installedCSV": name, "currentCSV": name, "state": "AtLatestKnown"}
	return []*unstructured.Unstructured{csv, installed}
}

// offeredCSV is the newest version in the channel a Subscription asks for, or "".
func offeredCSV(ctx context.Context, c *kube.Client, sub *unstructured.Unstructured) string {
	pkg := kube.Text(sub, "spec", "name")
	list := kube.PackageManifest.NewList()
	if err := c.List(ctx, list, client.InNamespace(marketplace), client.MatchingFields{"metadata.name": pkg}); err != nil {
		return ""
	}
	for i := range list.Items {
		manifest := &list.Items[i]
		if kube.Text(manifest, "status", "packageName") != pkg || kube.Text(manifest, "status", "catalogSource") != kube.Text(sub, "spec", "source") {
			continue
		}
		for _, channel := range kube.Maps(manifest, "status", "channels") {
			if text(channel, "name") == kube.Text(sub, "spec", "channel") {
				return text(channel, "currentCSV")
			}
		}
	}
	return ""
}
