package release

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ImageSet is a usable ClusterImageSet.
type ImageSet struct {
	// Name of the ClusterImageSet, and its release Image.
	Name, Image string
	// Version of the release, from the image's tag, or else from the name.
	Version hostedcluster.Version
	// Channel of the release: stable, fast or candidate; empty if unknown.
	Channel string
	// Hidden sets are only used if the user requests exactly that version.
	Hidden bool
}

// ImageSets lists the ClusterImageSets that can be used on KubeVirt: visible, of a recognizable version, for amd64. It
// returns none if the kind is not installed, and the error of the list.
func ImageSets(ctx context.Context, r kube.Reader) ([]ImageSet, error) {
	return visibleImageSets(ctx, r, hyperv1.ArchitectureAMD64)
}

func visibleImageSets(ctx context.Context, r kube.Reader, arch string, as ...client.ListOption) ([]ImageSet, error) {
	sets, err := allImageSets(ctx, r, arch, as...)
	return slices.DeleteFunc(sets, func(s ImageSet) bool { return s.Hidden }), err
}

// allImageSets also returns the hidden ones.
func allImageSets(ctx context.Context, r kube.Reader, arch string, as ...client.ListOption) ([]ImageSet, error) {
	list := kube.ClusterImageSet.NewList()
	if err := r.List(ctx, list, as...); err != nil && !kube.IsKindMissing(err) {
		return nil, fmt.Errorf("list ClusterImageSets: %w", err)
	}
	var sets []ImageSet
	for i := range list.Items {
		if s, ok := imageSetOf(&list.Items[i], arch); ok {
			sets = append(sets, s)
		}
	}
	return sets, nil
}

// TaggedVersion returns the version in an image's tag, or "" if it has none, for example if it has a digest.
func TaggedVersion(image string) string {
	if v, ok := ImageVersion(image); ok {
		return v.String()
	}
	return ""
}

// ImageVersion returns the version in an image's tag, or false if it has none, for example if it has a digest.
func ImageVersion(image string) (hostedcluster.Version, bool) {
	name, _, _ := strings.Cut(image, "@")
	return hostedcluster.ParseVersion(name[strings.LastIndex(name, "/")+1:])
}

// foreignTags are the suffixes of tags for other architectures. Workers on KubeVirt are amd64 or s390x.
func foreignTags(arch string) []string {
	if arch == hyperv1.ArchitectureS390X {
		return []string{"-aarch64", "-arm64", "-ppc64le", "-x86_64", "-x86-64", "-amd64"}
	}
	return []string{"-aarch64", "-arm64", "-ppc64le", "-s390x"}
}

// imageSetOf returns false for a set of another architecture, or without a recognizable version.
func imageSetOf(u *unstructured.Unstructured, arch string) (ImageSet, bool) {
	labels := u.GetLabels()
	s := ImageSet{
		Name:    u.GetName(),
		Image:   kube.Text(u, "spec", "releaseImage"),
		Channel: labels["channel"],
		Hidden:  labels["visible"] == "false",
	}
	if s.Image == "" {
		return ImageSet{}, false
	}
	tag := ""
	if i := strings.LastIndex(s.Image, ":"); i > strings.LastIndex(s.Image, "/") && !strings.Contains(s.Image, "@") {
		tag = s.Image[i+1:]
	}
	for _, end := range foreignTags(arch) {
		if strings.HasSuffix(tag, end) || tag == "" && strings.Contains(s.Name, end) {
			return ImageSet{}, false
		}
	}
	var ok bool
	if s.Version, ok = hostedcluster.ParseVersion(tag); !ok {
		s.Version, ok = hostedcluster.ParseVersion(s.Name)
	}
	return s, ok
}

// newest returns the set with the newest version; candidates count only if there is no release. For equal versions it
// prefers a multi-architecture payload, then the first by name.
func newest(sets []ImageSet) (ImageSet, bool) {
	if len(sets) == 0 {
		return ImageSet{}, false
	}
	return slices.MaxFunc(sets, func(a, b ImageSet) int {
		return cmp.Or(a.Version.Compare(b.Version),
			cmp.Compare(multi(a), multi(b)),
			cmp.Compare(b.Name, a.Name))
	}), true
}

func multi(s ImageSet) int {
	if strings.HasSuffix(s.Image, "-multi") {
		return 1
	}
	return 0
}
