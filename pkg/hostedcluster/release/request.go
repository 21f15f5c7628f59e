package release

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Request selects a release: at most one of Image, Version and Stream, and optionally a Channel. If all are empty,
// Resolve decides.
type Request struct {
	// Image is a release payload, Version an exact version, Stream a stream of the CI's release server.
	Image   string
	Version hostedcluster.Version
	Stream  options.Stream
	Channel options.Channel
	// Arch of the workers: amd64 or s390x.
	Arch string
}

// RequestFor returns the request of the options.
func RequestFor(o options.Validated) Request {
	return Request{Image: o.ReleaseImage, Version: o.Version, Stream: o.ReleaseStream, Channel: o.Channel, Arch: o.Arch}
}

// offers reports whether a ClusterImageSet belongs to the channel. fast includes stable, and candidate includes fast;
// eus is stable for updates between even minors. Sets without a label count as stable.
func offers(channel options.Channel, set ImageSet) bool {
	if !set.Version.MinorIn([]string{channel.Minor}) {
		return false
	}
	order := []string{"stable", "fast", "candidate"}
	of := slices.Index(order, cmp.Or(set.Channel, "stable"))
	requested := slices.Index(order, strings.Replace(channel.Kind, "eus", "stable", 1))
	return of >= 0 && of <= requested
}

// VersionUnknownError means that the management cluster does not offer the requested version or channel. It wraps an
// *options.Error.
type VersionUnknownError struct{ err *options.Error }

// unknown returns a *VersionUnknownError that names the offered versions.
func unknown(field, requested string, nearest []string) error {
	detail := "no ClusterImageSet of the management cluster offers it"
	if len(nearest) > 0 {
		detail += "; there are " + strings.Join(nearest, ", ")
	}
	return &VersionUnknownError{&options.Error{Field: field, Value: requested, Detail: detail}}
}

// Error names the offered versions.
func (e *VersionUnknownError) Error() string { return e.err.Error() }
func (e *VersionUnknownError) Unwrap() error { return e.err }

// Hint returns the alternatives. hcctl does not look elsewhere by itself.
func (*VersionUnknownError) Hint() hint.Text {
	return hint.New("give its image with %s, or look it up on the internet with %s", hint.Flag("release-image"),
		hint.Flag("release-stream"))
}

// nearestShown is the maximum number of versions in an error.
const nearestShown = 5

// ofVersion finds the release of an exact version: a ClusterImageSet, even a hidden one, or the management cluster's
// own release.
func ofVersion(ctx context.Context, c kube.Reader, r Request, as ...client.ListOption) (Release, error) {
	sets, err := allImageSets(ctx, c, r.Arch, as...)
	if err != nil {
		return Release{}, err
	}
	if s, ok := newest(
		slices.DeleteFunc(slices.Clone(sets), func(s ImageSet) bool { return s.Version != r.Version }),
	); ok {
		return s.release(), nil
	}
	image, own, err := ownRelease(ctx, c)
	if err != nil {
		return Release{}, err
	}
	if own == r.Version.String() && image != "" {
		return Release{Image: image, From: "the management cluster's own release", Version: own}, nil
	}
	return Release{}, unknown("version", r.Version.String(), nearest(sets, r.Version.MinorName()))
}

// ofChannel finds the newest visible release of a channel.
func ofChannel(sets []ImageSet, r Request) (Release, error) {
	if s, ok := newest(slices.DeleteFunc(slices.Clone(sets), func(s ImageSet) bool { return !offers(r.Channel, s) })); ok {
		return s.release(), nil
	}
	return Release{}, unknown("channel", r.Channel.Name, nearest(sets, r.Channel.Minor))
}

// nearest returns the offered versions of a minor version, or the newest of all if there are none.
func nearest(sets []ImageSet, minor string) []string {
	list := func(keep func(ImageSet) bool) []string {
		var versions []hostedcluster.Version
		for _, s := range sets {
			if keep(s) && !slices.Contains(versions, s.Version) {
				versions = append(versions, s.Version)
			}
		}
		slices.SortFunc(versions, func(a, b hostedcluster.Version) int { return b.Compare(a) })
		var names []string
		for _, v := range versions[:min(nearestShown, len(versions))] {
			names = append(names, v.String())
		}
		return names
	}
	if names := list(func(s ImageSet) bool { return s.Version.MinorIn([]string{minor}) }); len(names) > 0 {
		return names
	}
	return list(func(ImageSet) bool { return true })
}

func (s ImageSet) release() Release {
	return Release{Image: s.Image, From: "ClusterImageSet " + s.Name, Version: s.Version.String()}
}
