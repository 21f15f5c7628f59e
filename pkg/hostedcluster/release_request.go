package hostedcluster

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// ReleaseRequest is what is asked for: at most one of Image, Version and Stream, and perhaps a Channel. All empty leaves it to ResolveRelease.
type ReleaseRequest struct {
	// Image is a release payload, Version an exact version such as "4.20.3", Stream one of the CI's release server such as "4-stable-multi".
	Image, Version, Stream string
	// Channel is an update channel such as "stable-4.20".
	Channel string
	// Arch of the workers: amd64 or s390x.
	Arch string
}

// requestOf is what the options say about the release.
func requestOf(o Options) ReleaseRequest {
	return ReleaseRequest{Image: o.ReleaseImage, Version: o.Version, Stream: o.ReleaseStream, Channel: o.Channel, Arch: o.Arch}
}

// channelForm is that of OpenShift's update channels.
var channelForm = regexp.MustCompile(`^(stable|fast|candidate|eus)-(\d+\.\d+)$`)

// validateRelease checks what can be known without asking anybody.
func (o Options) validateRelease() error {
	var given []string
	for _, f := range []struct{ flag, value string }{{"release-image", o.ReleaseImage}, {"version", o.Version}, {"release-stream", o.ReleaseStream}} {
		if f.value != "" {
			given = append(given, f.flag)
		}
	}
	if len(given) > 1 {
		return flagError(given[1], "", "cannot be given together with --%s: each says which release it is to be", given[0])
	}
	if o.ReleaseStream != "" {
		if _, err := parseStream(o.ReleaseStream); err != nil {
			return err
		}
	}
	switch {
	case o.Version != "" && !exactVersion(o.Version):
		return flagError("version", o.Version, "not an exact version; write it like 4.20.3, or ask for the newest of a channel: --channel stable-4.20")
	case o.Channel != "" && !isChannel(o.Channel):
		return flagError("channel", o.Channel, "not an update channel; write it like stable-4.20, fast-4.20, candidate-4.20 or eus-4.20")
	case o.Channel != "" && o.Version != "" && !inChannelMinor(o.Channel, o.Version):
		return flagError("channel", o.Channel, "is of another minor version than --version %s", o.Version)
	}
	return nil
}

// exactVersion tells whether s is a version and nothing more.
func exactVersion(s string) bool {
	v, ok := ParseVersion(s)
	return ok && v.String() == s
}

// parseChannel cuts an update channel such as "stable-4.20" into its kind and its minor version; false if it is none.
func parseChannel(s string) (kind, minor string, ok bool) {
	m := channelForm.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

func isChannel(s string) bool { return channelForm.MatchString(s) }

func inChannelMinor(channel, version string) bool {
	_, minor, isChannel := parseChannel(channel)
	v, ok := ParseVersion(version)
	return isChannel && ok && minor == v.MinorName()
}

// offers tells whether a ClusterImageSet is of the channel: fast has all that stable has, candidate all that fast has; eus is stable for updates
// between even minors. Sets without a label are taken to be stable.
func offers(channel string, set ImageSet) bool {
	kind, minor, ok := parseChannel(channel)
	if !ok || minor != set.Version.MinorName() {
		return false
	}
	order := []string{"stable", "fast", "candidate"}
	of := slices.Index(order, cmp.Or(set.Channel, "stable"))
	asked := slices.Index(order, strings.Replace(kind, "eus", "stable", 1))
	return of >= 0 && of <= asked
}

// VersionUnknownError means that nothing on the management cluster offers the version or channel that was asked for.
type VersionUnknownError struct {
	// Flag is "version" or "channel", Asked its value.
	Flag, Asked string
	// Nearest are versions there are, the newest first; empty where there is none.
	Nearest []string
}

// Error names what there is instead.
func (e *VersionUnknownError) Error() string {
	s := fmt.Sprintf("--%s %q: no ClusterImageSet of the management cluster offers it", e.Flag, e.Asked)
	if len(e.Nearest) > 0 {
		s += "; there are " + strings.Join(e.Nearest, ", ")
	}
	return s
}

// Hint is how to go on: nothing is looked up elsewhere.
func (*VersionUnknownError) Hint() string {
	return "give its image with --release-image, or look it up on the internet with --release-stream"
}

// ExitCode is 2: another value of the flag is needed.
func (*VersionUnknownError) ExitCode() int { return 2 }

// nearestShown is how many versions an error names.
const nearestShown = 5

// ofVersion finds the release of an exact version: a ClusterImageSet, be it hidden, or what the management cluster itself runs.
func ofVersion(ctx context.Context, c *kube.Client, r ReleaseRequest, as ...client.ListOption) (Release, error) {
	sets, err := allImageSets(ctx, c, r.Arch, as...)
	if err != nil {
		return Release{}, err
	}
	if s, ok := newest(slices.DeleteFunc(slices.Clone(sets), func(s ImageSet) bool { return s.Version.String() != r.Version })); ok {
		return s.release(), nil
	}
	image, own, err := ownRelease(ctx, c)
	if err != nil {
		return Release{}, err
	}
	if own == r.Version && image != "" {
		return Release{Image: image, From: "the management cluster's own release", Version: own}, nil
	}
	want, _ := ParseVersion(r.Version)
	return Release{}, &VersionUnknownError{Flag: "version", Asked: r.Version, Nearest: nearest(sets, want.MinorName())}
}

// ofChannel finds the newest visible release of a channel.
func ofChannel(sets []ImageSet, r ReleaseRequest) (Release, error) {
	if s, ok := newest(slices.DeleteFunc(slices.Clone(sets), func(s ImageSet) bool { return !offers(r.Channel, s) })); ok {
		return s.release(), nil
	}
	_, minor, _ := parseChannel(r.Channel)
	return Release{}, &VersionUnknownError{Flag: "channel", Asked: r.Channel, Nearest: nearest(sets, minor)}
}

// nearest are the versions there are of a minor version, or the newest of all where there is none.
func nearest(sets []ImageSet, minor string) []string {
	list := func(keep func(ImageSet) bool) []string {
		var versions []Version
		for _, s := range sets {
			if keep(s) && !slices.Contains(versions, s.Version) {
				versions = append(versions, s.Version)
			}
		}
		slices.SortFunc(versions, func(a, b Version) int { return b.Compare(a) })
		var names []string
		for _, v := range versions[:min(nearestShown, len(versions))] {
			names = append(names, v.String())
		}
		return names
	}
	if names := list(func(s ImageSet) bool { return s.Version.MinorName() == minor }); len(names) > 0 {
		return names
	}
	return list(func(ImageSet) bool { return true })
}

func (s ImageSet) release() Release {
	return Release{Image: s.Image, From: "ClusterImageSet " + s.Name, Version: s.Version.String()}
}
