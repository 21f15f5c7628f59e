package upgrade

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wait says how far an upgrade is followed.
type Wait string

// How far an upgrade can be followed.
const (
	// WaitNone ends once the control plane's release is written: pools follow only after it.
	WaitNone Wait = "none"
	// WaitComplete ends once control plane and pools are there.
	WaitComplete Wait = "complete"
)

// Request is what a user asks of upgrade cluster.
type Request struct {
	Namespace, Name string
	// Version such as "4.20.4", or ReleaseImage, or ForceTo: at most one. ForceTo is an image whose control plane upgrade
	// the cluster's own veto (ClusterVersionUpgradeable) does not hold up.
	Version, ReleaseImage, ForceTo string
	// Channel is written as spec.channel; empty leaves it.
	Channel string
	// NodePools are "all", "none" or names.
	NodePools []string
	// AllowNotRecommended takes a release of which the update service knows risks.
	AllowNotRecommended bool
	Wait                Wait
}

// Targeted reports whether a release is asked for.
func (r Request) Targeted() bool { return r.Version != "" || r.ReleaseImage != "" || r.ForceTo != "" }

// channelMaxLength is the limit of the HostedCluster CRD.
const channelMaxLength = 100

// Validate finds what is wrong whatever the cluster is. It fails with *options.Error.
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
