package upgrade

import (
	"context"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Source is where a release was found.
type Source string

// The sources of a release.
const (
	// FromUpdates means that the update service recommends it for the cluster's channel (status.version.availableUpdates).
	FromUpdates Source = "available"
	// FromConditionalUpdates means that the update service knows risks (status.version.conditionalUpdates).
	FromConditionalUpdates Source = "conditional"
	// FromImageSet means that a ClusterImageSet of the management cluster has it.
	FromImageSet Source = "imageset"
	// FromHistory means that the hosted cluster has or had it.
	FromHistory Source = "history"
	// FromFlag means that the user gave the image. Its version is in the tag, if it has one.
	FromFlag Source = "flag"
)

// Offer is a known release.
type Offer struct {
	// Version of the release; empty if only the image is known.
	Version string
	Image   string
	Source  Source
	// Where is the name of the ClusterImageSet or of the channel; empty for other sources.
	Where string
	Risks []release.Risk

	version hostedcluster.Version
	known   bool
}

// newOffer parses the version, which may be part of a longer text such as a tag.
func newOffer(version, image string, source Source, where string) Offer {
	o := Offer{Image: image, Source: source, Where: where}
	if o.version, o.known = hostedcluster.ParseVersion(version); o.known {
		o.Version = o.version.String()
	}
	return o
}

// Name returns the release for a user: its version, or the image if that is unknown.
func (o Offer) Name() string {
	if o.Version == "" {
		return o.Image
	}
	return o.Version
}

// Label returns where the release was found, for a user.
func (o Offer) Label() string {
	switch o.Source {
	case FromUpdates, FromConditionalUpdates:
		if o.Where != "" {
			return "channel " + o.Where
		}
		return "update service"
	case FromImageSet:
		return "ClusterImageSet " + o.Where
	case FromHistory:
		return "the cluster's own history"
	case FromFlag:
	}
	return "as given"
}

// requestedRelease returns the release in the hosted cluster's spec, with the version of its tag. From HyperShift 4.17
// on, the history has its digest instead.
func requestedRelease(hc *hyperv1.HostedCluster) Offer {
	image := hc.Spec.Release.Image
	return newOffer(image[strings.LastIndex(image, "/")+1:], image, FromHistory, "")
}

// knownReleases lists each known version once, the newest first. The history and the update service take precedence
// over ClusterImageSets; among those, the cluster's own payload architecture takes precedence.
func knownReleases(hc *hyperv1.HostedCluster, sets []release.ImageSet) []Offer {
	var all []Offer
	add := func(o Offer) {
		if o.known && o.Image != "" && !slices.ContainsFunc(all, func(have Offer) bool { return have.Version == o.Version }) {
			all = append(all, o)
		}
	}
	if v := hc.Status.Version; v != nil {
		requested := requestedRelease(hc)
		if slices.ContainsFunc(v.History, func(h configv1.UpdateHistory) bool { return h.Version == requested.Version }) {
			add(requested)
		}
		for _, h := range v.History {
			add(newOffer(h.Version, h.Image, FromHistory, ""))
		}
		for _, u := range release.Updates(v.AvailableUpdates, v.ConditionalUpdates) {
			source := FromUpdates
			if u.Conditional {
				source = FromConditionalUpdates
			}
			o := newOffer(u.Version, u.Image, source, hc.Spec.Channel)
			o.Risks = u.Risks
			add(o)
		}
	}
	kind := payloadArch(hc.Spec.Release.Image)
	slices.SortStableFunc(sets, func(a, b release.ImageSet) int { return rank(b, kind) - rank(a, kind) })
	for _, s := range sets {
		add(newOffer(s.Version.String(), s.Image, FromImageSet, s.Name))
	}
	slices.SortStableFunc(all, func(a, b Offer) int { return b.version.CompareAge(a.version) })
	return all
}

// payloadArch returns the suffix of a release image's tag, such as "multi" or "x86_64", or "" for a digest.
func payloadArch(image string) string {
	tag := image[strings.LastIndex(image, "/")+1:]
	if strings.Contains(tag, "@") {
		return ""
	}
	return tag[strings.LastIndex(tag, "-")+1:]
}

// rank prefers an image for the cluster's architecture, then a multi-architecture image.
func rank(s release.ImageSet, kind string) int {
	switch own := payloadArch(s.Image); {
	case kind != "" && own == kind:
		return 2
	case own == "multi":
		return 1
	}
	return 0
}

// clusterState is the input of a decision about an upgrade.
type clusterState struct {
	hc    *hyperv1.HostedCluster
	pools []hyperv1.NodePool
	// offers are all known releases, the newest first.
	offers []Offer
	// supported are the minor versions that the operator supports; empty if it does not report them.
	supported []string
}

// readState reads the hosted cluster, its pools, the ClusterImageSets and the operator's supported versions. It returns
// a *hostedcluster.NotFoundError, a *hostedcluster.NotInstalledError or the error of a read.
func readState(ctx context.Context, r kube.Reader, namespace, name string) (*clusterState, error) {
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return nil, err
	}
	w := &clusterState{hc: hc}
	if w.pools, err = hostedcluster.Pools(ctx, r, namespace, name); err != nil {
		return nil, err
	}
	if w.supported, err = release.SupportedVersions(ctx, r); err != nil {
		return nil, err
	}
	sets, err := release.ImageSets(ctx, r)
	if err != nil {
		return nil, err
	}
	w.offers = knownReleases(hc, sets)
	return w, nil
}

// byImage finds a release by its image. If it is unknown, the version comes from the tag.
func (w *clusterState) byImage(image string) Offer {
	for _, o := range w.offers {
		if o.Image == image {
			return o
		}
	}
	return newOffer(image[strings.LastIndex(image, "/")+1:], image, FromFlag, "")
}

// byVersion finds a release by its version.
func (w *clusterState) byVersion(version string) (Offer, bool) {
	for _, o := range w.offers {
		if o.Version == version {
			return o, true
		}
	}
	return Offer{}, false
}
