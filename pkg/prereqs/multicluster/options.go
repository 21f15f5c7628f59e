package multicluster

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Options are a user's settings for multicluster engine.
type Options struct {
	// EnableComponents are components that hcctl enables even if a user has disabled them.
	EnableComponents []string
	// Spec are settings of the MultiClusterEngine.
	Spec *prereq.Settings
}

// enableField is the name of EnableComponents in hcctl.yaml.
const enableField = "multicluster.enableComponents"

// Validate checks the options. The error names the flag and the value.
func (o Options) Validate() error {
	needed := []string{componentHypershift, componentPreview, componentLocalHosting, componentLocalCluster}
	for _, name := range o.EnableComponents {
		if !slices.Contains(needed, name) {
			return option.Errorf(enableField, name, "hosted clusters do not need it; use %s", strings.Join(needed, ", "))
		}
	}
	return o.Spec.Validate(prereq.Reserved{Field: "overrides.components", Option: enableField})
}

// Planned returns the settings of the MultiClusterEngine.
func (o Options) Planned(pins olm.Pins) prereq.Planned {
	return prereq.Planned{Settings: o.Spec, Kind: kube.MultiClusterEngine,
		Version: olm.NewInstaller(olm.MulticlusterEngine().Pinned(pins)).Foreseen}
}

// with adds the components of the steps that are taken over.
func (o Options) with(takeOver prereq.TakeOver) Options {
	o.EnableComponents = slices.Clone(o.EnableComponents)
	if takeOver[Component] {
		o.EnableComponents = append(o.EnableComponents, componentHypershift, componentPreview, componentLocalHosting)
	}
	if takeOver[LocalCluster] {
		o.EnableComponents = append(o.EnableComponents, componentLocalCluster)
	}
	return o
}

// offOnPurpose returns the components that a user has disabled and the options do not enable. They have an entry
// although they are on by default, or an entry in the hub, which has none by default.
func (o Options) offOnPurpose(off []string, engine, hub components) []string {
	var out []string
	for _, name := range off {
		_, exists := engine.enabled(name)
		_, named := hub.enabled(name)
		if (named || exists && onByDefault(name)) && !slices.Contains(o.EnableComponents, name) {
			out = append(out, name)
		}
	}
	return out
}
