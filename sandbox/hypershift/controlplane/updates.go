package controlplane

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// publishedPatches of each minor are in the update service, with or without a ClusterImageSet.
var publishedPatches = []int{3, 6, 9}

// releaseCache caches the update service's releases for a while, because each reconcile of each control plane needs
// them.
type releaseCache struct {
	mu     sync.Mutex
	asked  map[hyperv1.PayloadArchType]time.Time
	answer map[hyperv1.PayloadArchType][]release.Payload
}

const catalogLasts = 5 * time.Second

// knownReleases returns all releases of the update service for an architecture, oldest first.
func (r *controlPlanes) knownReleases(ctx context.Context, arch hyperv1.PayloadArchType) ([]release.Payload, error) {
	r.catalog.mu.Lock()
	defer r.catalog.mu.Unlock()
	if time.Since(r.catalog.asked[arch]) < catalogLasts {
		return r.catalog.answer[arch], nil
	}
	list, err := r.listReleases(ctx, arch)
	if err != nil {
		return nil, err
	}
	if r.catalog.asked == nil {
		r.catalog.asked = map[hyperv1.PayloadArchType]time.Time{}
		r.catalog.answer = map[hyperv1.PayloadArchType][]release.Payload{}
	}
	r.catalog.asked[arch], r.catalog.answer[arch] = time.Now(), list
	return list, nil
}

func (r *controlPlanes) listReleases(ctx context.Context, arch hyperv1.PayloadArchType) ([]release.Payload, error) {
	images := []string{r.Profile.ReleaseImage}
	suffix := "x86_64"
	if arch == hyperv1.Multi {
		suffix = "multi"
	}
	sets := &unstructured.UnstructuredList{}
	sets.SetGroupVersionKind(schema.GroupVersionKind{Group: "hive.openshift.io", Version: "v1",
		Kind: "ClusterImageSetList"})
	if err := r.Client.List(ctx, sets); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("list ClusterImageSets: %w", err)
	}
	for i := range sets.Items {
		if image, _, err := unstructured.NestedString(sets.Items[i].Object, "spec", "releaseImage"); err == nil {
			images = append(images, image)
		}
	}
	for _, minor := range r.Features.Versions {
		for _, patch := range publishedPatches {
			images = append(images, fmt.Sprintf("%s:%s.%d-%s", release.Repository, minor, patch, suffix))
		}
	}
	known := map[string]release.Payload{}
	for _, image := range images {
		if payload, err := r.Registry().Lookup(image); err == nil && payload.Arch == arch &&
			known[payload.Version].Image == "" {
			known[payload.Version] = payload
		}
	}
	list := make([]release.Payload, 0, len(known))
	for _, payload := range known {
		list = append(list, payload)
	}
	sort.Slice(list, func(i, j int) bool { return release.Newer(list[j].Version, list[i].Version) })
	return list, nil
}
