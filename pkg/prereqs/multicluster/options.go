package multicluster

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Options is what a user can say about multicluster engine.
type Options struct {
	// EnableComponents are components that are turned on even where somebody has turned them off.
	EnableComponents []string
	// Spec are settings of the MultiClusterEngine.
	Spec *prereq.Settings
}

// enableField is EnableComponents in hcctl.yaml.
const enableField = "multicluster.enableComponents"

// Validate returns an error that names the flag and the value that is wrong.
func (o Options) Validate() error {
	needed := []string{componentHypershift, componentPreview, componentLocalHosting, componentLocalCluster}
	for _, name := range o.EnableComponents {
		if !slices.Contains(needed, name) {
			return option.Errorf(enableField, name, "hosted clusters do not need it; use %s", strings.Join(needed, ", "))
		}
	}
	return o.Spec.Validate(prereq.Reserved{Field: "overrides.components", Option: enableField})
}

// Planned are the settings of the MultiClusterEngine.
func (o Options) Planned(pins olm.Pins) prereq.Planned {
	return prereq.Planned{Settings: o.Spec, Kind: kube.MultiClusterEngine,
		Version: olm.NewInstaller(olm.MulticlusterEngine().Pinned(pins)).Foreseen}
}

// with turns on the components that the steps taken over are about.
func (o Options) with(taken prereq.TakeOver) Options {
	o.EnableComponents = slices.Clone(o.EnableComponents)
	if taken[Component] {
		o.EnableComponents = append(o.EnableComponents, componentHypershift, componentPreview, componentLocalHosting)
	}
	if taken[LocalCluster] {
		o.EnableComponents = append(o.EnableComponents, componentLocalCluster)
	}
	return o
}

// offOnPurpose are those of the components that somebody has turned off and that the options do not ask for: they have
// an entry, although they are on by default or the entry is the hub's, which gets none by itself.
func (o Options) offOnPurpose(off []string, engine, hub components) []string {
	var out []string
	for _, name := range off {
		_, there := engine.enabled(name)
		_, named := hub.enabled(name)
		if (named || there && onByDefault(name)) && !slices.Contains(o.EnableComponents, name) {
			out = append(out, name)
		}
	}
	return out
}
