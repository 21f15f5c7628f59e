package olm

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Foresee returns a Subscription and its ClusterServiceVersion as they will be after OLM has installed it. It returns
// nil if the catalog cannot be read.
func Foresee(ctx context.Context, r kube.Reader, sub *unstructured.Unstructured) []*unstructured.Unstructured {
	name := cmp.Or(kube.Text(sub, "spec", "startingCSV"), offeredCSV(ctx, r, sub))
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

// offeredCSV returns the newest version in the channel of a Subscription, or "".
func offeredCSV(ctx context.Context, r kube.Reader, sub *unstructured.Unstructured) string {
	pkg := kube.Text(sub, "spec", "name")
	list := kube.PackageManifest.NewList()
	if err := r.List(ctx, list, client.InNamespace(Marketplace), client.MatchingFields{"metadata.name": pkg}); err != nil {
		return ""
	}
	for i := range list.Items {
		manifest := &list.Items[i]
		if kube.Text(manifest, "status", "packageName") != pkg ||
			kube.Text(manifest, "status", "catalogSource") != kube.Text(sub, "spec", "source") {
			continue
		}
		for _, channel := range kube.Maps(manifest, "status", "channels") {
			if prereq.Text(channel, "name") == kube.Text(sub, "spec", "channel") {
				return prereq.Text(channel, "currentCSV")
			}
		}
	}
	return ""
}

// Foreseen returns the installed version of the operator, or the one that would be installed.
func (i Installer) Foreseen(ctx context.Context, r kube.Reader) (*semver.Version, error) {
	_, version, err := i.Installed(ctx, r)
	if !errors.Is(err, ErrNotInstalled) && !kube.IsKindMissing(err) {
		return version, err
	}
	offer, err := FindOffer(ctx, r, i.op)
	if err != nil {
		return nil, err
	}
	_, text, _ := strings.Cut(offer.csv, ".v")
	return semver.NewVersion(text)
}
