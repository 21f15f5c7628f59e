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

// defaultComponents returns the components of a channel with their default, in backplane-operator's order.
func defaultComponents(ch profile.MCEChannel) []Component {
	on := []string{
		"assisted-service", "cluster-lifecycle", "cluster-manager", "discovery", "hive", "server-foundation",
		"cluster-proxy-addon", ComponentLocalCluster, componentHosting,
	}
	var off []string
	// The facts are those of contracts/mce.yaml.
	// Only 2.2 and a version near 2.10 were looked up.
	if framework.AtLeast(ch.Version, "2.4") {
		on = append(on, "managedserviceaccount", "console-mce")
		off = append(off, "image-based-install-operator")
	} else {
		on = append(on, "console-mce")
		off = append(off, "managedserviceaccount-preview")
	}
	if framework.AtLeast(ch.Version, "2.9") {
		off = append(off, "cluster-api", "cluster-api-provider-aws", "cluster-api-provider-metal3",
			"cluster-api-provider-openshift-assisted")
	}
	if ch.ComponentDefault {
		on = append(on, ch.Component)
	} else {
		off = append(off, ch.Component)
	}
	var out []Component
	for _, n := range on {
		out = append(out, Component{Name: n, Enabled: true})
	}
	for _, n := range off {
		out = append(out, Component{Name: n})
	}
	return out
}

// known tells whether a channel's admission webhook accepts a component name.
func known(ch profile.MCEChannel, name string) bool {
	if name == componentPreview && ch.Component == componentHypershift {
		// Accepted since 2.4, then pruned.
		return true
	}
	return slices.ContainsFunc(defaultComponents(ch), func(c Component) bool { return c.Name == name })
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

// enabled tells whether a component is in the list and on.
func enabled(list []Component, name string) bool {
	return slices.ContainsFunc(list, func(c Component) bool { return c.Name == name && c.Enabled })
}

// exclusive returns a component that cannot be on together with hypershift (2.10 and later), or "".
func exclusive(ch profile.MCEChannel, list []Component) string {
	if !framework.AtLeast(ch.Version, "2.10") || !enabled(list, componentHypershift) && !enabled(list, componentPreview) {
		return ""
	}
	for _, c := range list {
		if c.Enabled && strings.HasPrefix(c.Name, "cluster-api") {
			return c.Name
		}
	}
	return ""
}
