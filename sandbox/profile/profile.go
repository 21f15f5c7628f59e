// Package profile says which OpenShift a sandbox plays: its version, what its catalogs offer, and how its operators
// of that generation behave. Facts come from the vendors' documents and source, never from hcctl.
package profile

import (
	"fmt"
	"sort"
	"strings"
)

// Profile is one management cluster at birth. The zero value is of no use; take one from Get.
type Profile struct {
	// Name is what --profile takes.
	Name string
	// OpenShift is the version in ClusterVersion, such as 4.20.3.
	OpenShift string
	// ReleaseImage is the payload ClusterVersion names, by digest.
	ReleaseImage string
	// MCEChannels are the multicluster-engine channels on offer, oldest first; the last is the default channel.
	MCEChannels []MCEChannel
	// KubeVirt is the version OpenShift Virtualization of this OpenShift deploys (its version endpoint, with "v").
	KubeVirt string
	// Provisioned means everything hcctl bootstrap would install is in place at birth.
	Provisioned bool
}

// MCEChannel is one channel of multicluster-engine and what the operator in it does.
type MCEChannel struct {
	// Name is the channel, such as stable-2.10.
	Name string
	// Version is the operator version in it, such as 2.10.0.
	Version string
	// Component is the name of the hypershift entry in spec.overrides.components: hypershift-preview before 2.4.
	Component string
	// ComponentDefault is whether that component is on when nobody says so (2.4 and later).
	ComponentDefault bool
	// CreatesAddon is whether this MCE creates ManagedClusterAddOn hypershift-addon by itself.
	CreatesAddon bool
	// HostedVersions are the minors in ConfigMap hypershift/supported-versions, newest first.
	HostedVersions []string
	// ValidatesInfra is whether its HyperShift operator demands KubeVirt >= 1.0.0 and Kubernetes >= 1.27 (2.5 and later).
	ValidatesInfra bool
}

// Minor is the OpenShift minor, such as 4.20.
func (p Profile) Minor() string {
	parts := strings.SplitN(p.OpenShift, ".", 3)
	return parts[0] + "." + parts[1]
}

// MCE is the channel a fresh Subscription without spec.channel would follow.
func (p Profile) MCE() MCEChannel { return p.MCEChannels[len(p.MCEChannels)-1] }

// MCEByVersion finds the channel that carries the given operator version.
func (p Profile) MCEByVersion(version string) (MCEChannel, bool) {
	for _, c := range p.MCEChannels {
		if c.Version == version {
			return c, true
		}
	}
	return MCEChannel{}, false
}

// Get returns the named profile, or an error that lists the names there are.
func Get(name string) (Profile, error) {
	p, ok := profiles[name]
	if !ok {
		return Profile{}, fmt.Errorf("no profile %q: there are %s", name, strings.Join(Names(), ", "))
	}
	p.Name = name
	return p, nil
}

// Names lists the profiles, sorted.
func Names() []string {
	names := make([]string, 0, len(profiles))
	for n := range profiles {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

var ocp420 = Profile{
	OpenShift:    "4.20.3",
	ReleaseImage: "quay.io/openshift-release-dev/ocp-release@sha256:3f7a5f9e2a0c1c6e5f9d1b8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a4203",
	KubeVirt:     "v1.6.2",
	MCEChannels: []MCEChannel{{
		Name: "stable-2.10", Version: "2.10.0", Component: "hypershift", ComponentDefault: true, CreatesAddon: true,
		HostedVersions: []string{"4.20", "4.19", "4.18", "4.17", "4.16", "4.15", "4.14"}, ValidatesInfra: true,
	}},
}

var profiles = map[string]Profile{
	"ocp-4.20": ocp420,
	"ready": func() Profile {
		p := ocp420
		p.Provisioned = true
		return p
	}(),
	"ocp-4.12": {
		OpenShift:    "4.12.45",
		ReleaseImage: "quay.io/openshift-release-dev/ocp-release@sha256:9b2f6d1e8c7a4b3d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a641245",
		KubeVirt:     "v0.58.1",
		MCEChannels: []MCEChannel{{
			Name: "stable-2.2", Version: "2.2.0", Component: "hypershift-preview", HostedVersions: []string{"4.12", "4.11"},
		}},
	},
}
