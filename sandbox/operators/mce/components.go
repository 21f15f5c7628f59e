package mce

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// Names of MultiClusterEngine components that this operator acts on.
const (
	ComponentLocalCluster = "local-cluster"
	componentHosting      = "hypershift-local-hosting"
	componentHypershift   = "hypershift"
	componentPreview      = "hypershift-preview"
)

// Component is one entry of spec.overrides.components.
type Component struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	// ConfigOverrides is kept unchanged.
	ConfigOverrides map[string]any `json:"configOverrides,omitempty"`
}

// defaultComponents returns the components of a channel with their default, as backplane-operator 2.2 to 5.1 has them.
func defaultComponents(ch profile.MCEChannel) []Component {
	on := []string{
		"assisted-service", "cluster-lifecycle", "cluster-manager", "discovery", "hive", "server-foundation",
		"cluster-proxy-addon", ComponentLocalCluster, componentHosting,
	}
	if ch.ComponentDefault {
		on = append(on, ch.Component)
	}
	if framework.AtLeast(ch.Version, "2.5") {
		on = append(on, "managedserviceaccount")
	}
	if framework.AtLeast(ch.Version, "2.17") {
		on = append(on, "cluster-permission")
	}
	if framework.AtLeast(ch.Version, "5.0") {
		on = append(on, "fleet-navigation")
	}
	var out []Component
	for _, n := range append(on, "console-mce") {
		out = append(out, Component{Name: n, Enabled: true})
	}
	for _, n := range offByDefault(ch) {
		out = append(out, Component{Name: n})
	}
	return out
}

// offByDefault are the components that a channel fills in as disabled (backplane-operator's offComponents).
func offByDefault(ch profile.MCEChannel) []string {
	for _, since := range []struct {
		version string
		off     []string
	}{
		{"2.17", []string{"cluster-api", "cluster-api-provider-aws", "cluster-api-provider-azure-preview",
			"cluster-api-provider-metal3", "cluster-api-provider-openshift-assisted", "image-based-install-operator",
			"maestro-preview"}},
		{"2.11", []string{"cluster-api", "cluster-api-provider-aws", "cluster-api-provider-azure-preview",
			"cluster-api-provider-metal3", "cluster-api-provider-openshift-assisted", "image-based-install-operator"}},
		{"2.10", []string{"cluster-api", "cluster-api-provider-aws", "cluster-api-provider-metal3",
			"cluster-api-provider-openshift-assisted", "image-based-install-operator"}},
		{"2.9", []string{"cluster-api", "cluster-api-provider-aws", "cluster-api-provider-metal3-preview",
			"cluster-api-provider-openshift-assisted-preview", "image-based-install-operator"}},
		{"2.8", []string{"cluster-api-preview", "cluster-api-provider-aws-preview", "image-based-install-operator"}},
		{"2.7", []string{"image-based-install-operator"}},
		{"2.5", []string{"image-based-install-operator-preview"}},
		{"2.4", []string{"managedserviceaccount"}},
	} {
		if framework.AtLeast(ch.Version, since.version) {
			return since.off
		}
	}
	return []string{"managedserviceaccount-preview", componentPreview}
}

// notFilledIn are the names that a channel's webhook accepts besides its defaults, and the version they came with.
var notFilledIn = map[string]string{
	componentPreview: "2.4", "managedserviceaccount-preview": "2.4", "image-based-install-operator-preview": "2.7",
	"cluster-api": "2.8", "cluster-api-preview": "2.8", "cluster-api-provider-aws": "2.8",
	"cluster-api-provider-aws-preview": "2.8", "cluster-api-provider-metal3": "2.9",
	"cluster-api-provider-metal3-preview": "2.9", "cluster-api-provider-openshift-assisted": "2.9",
	"cluster-api-provider-openshift-assisted-preview": "2.9", "cluster-api-provider-azure": "2.11",
	"cluster-api-provider-azure-preview": "2.11",
}

// known reports whether a channel's admission webhook accepts a component name.
func known(ch profile.MCEChannel, name string) bool {
	if since, ok := notFilledIn[name]; ok && framework.AtLeast(ch.Version, since) {
		return true
	}
	return slices.ContainsFunc(defaultComponents(ch), func(c Component) bool { return c.Name == name })
}

// FromHub reports whether a component in a hub's own list is one that it passes on to the engine; cluster-lifecycle-mce
// stands for the engine's cluster-lifecycle (multiclusterhub-operator 2.7 to 2.16).
func FromHub(name string) bool {
	return slices.Contains([]string{"assisted-service", "cluster-lifecycle-mce", "cluster-manager", "cluster-proxy-addon",
		"console-mce", "discovery", "hive", "server-foundation", componentHypershift, componentPreview, componentHosting,
		"managedserviceaccount", "managedserviceaccount-preview", "image-based-install-operator",
		"image-based-install-operator-preview"}, name) || strings.HasPrefix(name, "cluster-api")
}

// withDefaults adds the missing components to have. From 2.4 on it drops hypershift-preview; if that was on, it turns
// hypershift on.
func withDefaults(ch profile.MCEChannel, have []Component) []Component {
	out := slices.Clone(have)
	for _, d := range defaultComponents(ch) {
		if !slices.ContainsFunc(out, func(c Component) bool { return c.Name == d.Name }) {
			out = append(out, d)
		}
	}
	if ch.Component != componentHypershift {
		return out
	}
	preview := enabled(out, componentPreview)
	out = slices.DeleteFunc(out, func(c Component) bool { return c.Name == componentPreview })
	for i := range out {
		if out[i].Name == componentHypershift && preview {
			out[i].Enabled = true
		}
	}
	return out
}

// enabled reports whether a component is in the list and on.
func enabled(list []Component, name string) bool {
	return slices.ContainsFunc(list, func(c Component) bool { return c.Name == name && c.Enabled })
}

// exclusive returns a component of hosting and one that cannot be on together with it (2.10 and later), or "" twice.
func exclusive(ch profile.MCEChannel, list []Component) (hosting, other string) {
	if !framework.AtLeast(ch.Version, "2.10") {
		return "", ""
	}
	for _, name := range []string{componentHypershift, componentPreview, componentHosting} {
		if hosting == "" && enabled(list, name) {
			hosting = name
		}
	}
	for _, c := range list {
		if hosting != "" && c.Enabled && strings.HasPrefix(c.Name, "cluster-api") {
			return hosting, c.Name
		}
	}
	return "", ""
}
