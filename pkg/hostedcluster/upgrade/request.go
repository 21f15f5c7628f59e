package upgrade

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wait is the milestone up to which an upgrade is waited for.
type Wait string

// The milestones.
const (
	// WaitNone ends once the control plane's release is written. Pools are not upgraded, because that needs the upgraded
	// control plane.
	WaitNone Wait = "none"
	// WaitComplete ends once control plane and pools are upgraded.
	WaitComplete Wait = "complete"
)

// Request holds the options of upgrade cluster.
type Request struct {
	Namespace, Name string
	// Version such as "4.20.4", or ReleaseImage, or ForceTo: at most one. ForceTo is an image to which the control plane
	// is upgraded even if the cluster's own veto (ClusterVersionUpgradeable) blocks it.
	Version, ReleaseImage, ForceTo string
	// Channel is written as spec.channel; empty leaves it unchanged.
	Channel string
	// NodePools are "all", "none" or the names of pools.
	NodePools []string
	// AllowNotRecommended accepts a release with risks that the update service knows.
	AllowNotRecommended bool
	Wait                Wait
}

// Targeted reports whether the request has a release.
func (r Request) Targeted() bool { return r.Version != "" || r.ReleaseImage != "" || r.ForceTo != "" }

// channelMaxLength is the limit of the HostedCluster CRD, in characters.
const channelMaxLength = 100

// Validate checks what is wrong on any cluster. It returns an *options.Error.
func (r Request) Validate() error {
	var given []string
	for _, f := range []struct{ flag, value string }{{"version", r.Version}, {"release-image", r.ReleaseImage},
		{"force-to", r.ForceTo}} {
		if f.value != "" {
			given = append(given, "--"+f.flag)
		}
	}
	switch {
	case len(given) > 1:
		return options.Errorf(strings.TrimPrefix(given[1], "--"), "", "give one of %s: each names the release",
			strings.Join(given, ", "))
	case len(r.Channel) > channelMaxLength || strings.ContainsAny(r.Channel, " \t\n"):
		return options.Errorf("channel", r.Channel, "not a channel; write it like stable-4.20")
	case r.Wait != WaitNone && r.Wait != WaitComplete:
		return options.Errorf("wait", string(r.Wait), "must be one of none, complete")
	case len(r.NodePools) == 0:
		return options.Errorf("node-pools", "", "must be all, none or names of node pools")
	case len(r.NodePools) > 1 && (slices.Contains(r.NodePools, "all") || slices.Contains(r.NodePools, "none")):
		return options.Errorf("node-pools", strings.Join(r.NodePools, ","), "must be all, none or names of node pools")
	}
	return r.validateRelease()
}

// validateRelease checks the syntax of the version and the images.
func (r Request) validateRelease() error {
	if v, ok := hostedcluster.ParseVersion(r.Version); r.Version != "" && (!ok || v.String() != r.Version) {
		return options.Errorf("version", r.Version, "not a version; write it like 4.20.4")
	}
	for _, f := range []struct{ flag, image string }{{"release-image", r.ReleaseImage}, {"force-to", r.ForceTo}} {
		if f.image != "" && (strings.ContainsAny(f.image, " \t\n") || !strings.Contains(f.image, "/")) {
			return options.Errorf(f.flag, f.image, "not an image reference; write it like "+
				"quay.io/openshift-release-dev/ocp-release:4.20.4-multi")
		}
	}
	return nil
}
