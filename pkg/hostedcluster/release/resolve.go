package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/hostedversions"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Release is a release payload, with the place where it was found.
type Release struct {
	Image, From string
	// Version of the release, such as "4.20.3"; empty if only the image is known.
	Version string
}

// NoReleaseError means that no release image was given, and none that the operator supports was found.
type NoReleaseError struct {
	failure.Usage
	// Supported are the minor versions that the HyperShift operator supports; empty if it does not report them.
	Supported []string
	// Management is the version of the management cluster; empty if it is unknown.
	Management string
}

// Error describes what was searched.
func (e *NoReleaseError) Error() string {
	switch {
	case len(e.Supported) == 0:
		return "no release image was given, and the HyperShift operator does not say which versions it supports " +
			"(ConfigMap hypershift/supported-versions)"
	case e.Management == "":
		return "no release image was given, and none was found; the HyperShift operator supports " + strings.Join(
			e.Supported, ", ")
	default:
		return fmt.Sprintf(
			"no release image was given, there is no ClusterImageSet the HyperShift operator supports, and the management "+
				"cluster's own version %s is not supported either; the operator supports %s", e.Management,
			strings.Join(e.Supported, ", "))
	}
}

// Hint returns how to give a release image.
func (*NoReleaseError) Hint() hint.Text {
	return hint.New("give one with %s, such as quay.io/openshift-release-dev/ocp-release:4.20.3-multi",
		hint.Flag("release-image"))
}

// Resolve selects the release image of a new cluster: the requested image, version, stream or newest of the channel;
// else the newest visible ClusterImageSet that the operator supports; else the management cluster's own release, if
// supported. It only queries the management cluster, unless a stream is requested. It does not check a requested image.
// It returns a *VersionUnknownError, *NoReleaseError or *options.Error.
func Resolve(ctx context.Context, c kube.Reader, r Request) (Release, error) {
	release, err := resolveBy(ctx, c, r, kube.FromCache{})
	var unknown *VersionUnknownError
	var none *NoReleaseError
	if errors.As(err, &unknown) || errors.As(err, &none) {
		return resolveBy(ctx, c, r) // the ClusterImageSet may be newer than the cache
	}
	return release, err
}

// resolveBy is Resolve, with the options for listing ClusterImageSets.
func resolveBy(ctx context.Context, c kube.Reader, r Request, as ...client.ListOption) (Release, error) {
	switch {
	case r.Image != "":
		return Release{Image: r.Image, From: hint.Flag("release-image").String(), Version: TaggedVersion(r.Image)}, nil
	case r.Version != hostedcluster.Version{}:
		return ofVersion(ctx, c, r, as...)
	}
	var sets []ImageSet
	var setsErr error
	var wg sync.WaitGroup
	if r.Stream.Name == "" {
		wg.Go(func() { sets, setsErr = visibleImageSets(ctx, c, r.Arch, as...) })
	}
	supported, err := SupportedVersions(ctx, c)
	wg.Wait()
	if err == nil {
		err = setsErr
	}
	if err != nil {
		return Release{}, err
	}
	if r.Stream.Name != "" {
		return lookupFor(r.Stream.Name).ofStream(ctx, r.Stream, supported)
	}
	if r.Channel.Name != "" {
		return ofChannel(sets, r)
	}
	sets = slices.DeleteFunc(sets, func(s ImageSet) bool { return !s.Version.MinorIn(supported) })
	if s, ok := newest(sets); ok {
		return s.release(), nil
	}
	image, version, err := ownRelease(ctx, c)
	if err != nil {
		return Release{}, err
	}
	if v, ok := hostedcluster.ParseVersion(version); ok && image != "" && v.MinorIn(supported) {
		return Release{Image: image, From: "the management cluster's own release " + version, Version: version}, nil
	}
	return Release{}, &NoReleaseError{Supported: supported, Management: version}
}

// Versions returns the versions that a new cluster can request: those of the visible ClusterImageSets and of the
// management cluster, if the operator supports them. The newest comes first, and candidates after all releases.
func Versions(ctx context.Context, r kube.Reader, arch string) ([]hostedcluster.Version, error) {
	sets, err := visibleImageSets(ctx, r, arch)
	if err != nil {
		return nil, err
	}
	supported, err := SupportedVersions(ctx, r)
	if err != nil {
		return nil, err
	}
	var versions []hostedcluster.Version
	for _, s := range sets {
		versions = append(versions, s.Version)
	}
	// A user who may not read the management cluster's version still gets the other versions.
	if image, version, err := ownRelease(ctx, r); err == nil && image != "" {
		if own, ok := hostedcluster.ParseVersion(version); ok {
			versions = append(versions, own)
		}
	}
	if len(supported) > 0 {
		versions = slices.DeleteFunc(versions, func(v hostedcluster.Version) bool {
			return !v.MinorIn(supported)
		})
	}
	slices.SortFunc(versions, func(a, b hostedcluster.Version) int { return b.Compare(a) })
	return slices.Compact(versions), nil
}

// SupportedVersions reads the minor versions that the operator supports on KubeVirt, such as "4.20". It returns none if
// the operator does not report them.
func SupportedVersions(ctx context.Context, r kube.Reader) ([]string, error) {
	cm := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKey{Namespace: hostedcluster.OperatorNamespace, Name: "supported-versions"}, cm)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ConfigMap hypershift/supported-versions: %w", err)
	}
	supported, err := hostedversions.Parse(cm.Data["supported-versions"])
	if err != nil {
		return nil, fmt.Errorf("ConfigMap hypershift/supported-versions: %w", err)
	}
	return supported, nil
}

// ownRelease returns the release of the management cluster: the last completed one, or else the desired one. Both
// results are empty if the cluster has no ClusterVersion.
func ownRelease(ctx context.Context, r kube.Reader) (image, version string, err error) {
	cv := &configv1.ClusterVersion{}
	err = r.Get(ctx, client.ObjectKey{Name: "version"}, cv)
	if apierrors.IsNotFound(err) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("ClusterVersion version: %w", err)
	}
	for _, h := range cv.Status.History {
		if h.State == configv1.CompletedUpdate {
			return h.Image, h.Version, nil
		}
	}
	return cv.Status.Desired.Image, cv.Status.Desired.Version, nil
}
