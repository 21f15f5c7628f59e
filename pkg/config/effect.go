package config

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// effect says with which other settings a setting has an effect.
type effect struct {
	// of is the path of a field, or of all below it if it ends with a dot.
	of string
	// groups are the groups of steps of which one has to run; nil for the run as a whole. With checked it is enough that a
	// step of another group needs one of them.
	groups  []string
	checked bool
	// modes are the values of storage.mode with which it has an effect; nil for all.
	modes []prereqs.StorageMode
	// names tells that its values are groups or IDs of steps, each of which has to run.
	names bool
}

// effects has a row for each field with a flag; of several rows that describe it, the first counts.
func effects() []effect {
	const auto, existing, odf = "auto", "existing", "odf"
	taking := []prereqs.StorageMode{auto, odf, prereqs.StorageLVM}
	storage := []string{"storage"}
	return []effect{
		{of: "storage.mode", groups: storage, checked: true},
		{of: "storage.defaultStorageClass", groups: storage, checked: true, modes: append(taking, existing)},
		{of: "storage.grow", groups: storage, modes: taking},
		{of: "storage.disks.", groups: storage, modes: taking},
		{of: "storage.dataFoundation.", groups: storage, modes: []prereqs.StorageMode{auto, odf}},
		// Without OLM, the checks of the cluster do not look for it.
		{of: "virtualization.manifests", groups: []string{"virtualization", "cluster"}, checked: true},
		{of: "virtualization.", groups: []string{"virtualization"}, checked: true},
		{of: "loadBalancer.metallbRanges", groups: []string{"load-balancer"}},
		{of: "loadBalancer.", groups: []string{"load-balancer"}, checked: true},
		{of: "multicluster.", groups: []string{"multicluster", "hypershift"}},
		{of: "approval", groups: append([]string{"storage", "virtualization", "load-balancer", "multicluster"},
			prereqs.OptionalGroups()...)},
		{of: "with", names: true},
		{of: "takeOver", names: true},
		{of: "skip", names: true, checked: true},
		{of: "only"}, {of: "timeout"}, {of: "troubleTimeout"}, {of: "parallel"},
	}
}

// effectOf is the row of a field; false if it has none.
func effectOf(field string) (effect, bool) {
	all := effects()
	i := slices.IndexFunc(all, func(e effect) bool {
		return e.of == field || strings.HasSuffix(e.of, ".") && strings.HasPrefix(field, e.of)
	})
	if i < 0 {
		return effect{}, false
	}
	return all[i], true
}

// HasEffect fails with an *option.Error if the field's value changes nothing with the others. graph has all steps;
// called is what the user calls another field, with its value.
func (b Bootstrap) HasEffect(field string, graph *step.Graph, called func(field, value string) string) error {
	e, known := effectOf(field)
	if !known {
		return nil
	}
	refused := func(other, value string) error {
		return option.Errorf(field, nil, "has no effect with %s", called(other, value))
	}
	if e.modes != nil && !slices.Contains(e.modes, b.Storage.Mode) {
		return refused("storage.mode", string(b.Storage.Mode))
	}
	named := [][]string{e.groups}
	if e.names {
		named = nil
		for _, name := range map[string][]string{"with": b.With, "takeOver": b.TakeOver, "skip": b.Skip}[field] {
			named = append(named, []string{name})
		}
	}
	for _, names := range named {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			_, err := graph.Named(name)
			return err != nil // a step that the other settings leave out
		})
		steps, err := graph.Named(names...)
		if err != nil || len(steps) == 0 {
			continue
		}
		without := b
		if field == "skip" {
			without.Skip = nil
		}
		run, err := without.runs(graph, steps, e.checked)
		switch {
		case err != nil:
			return err
		case run:
		case len(b.Only) > 0:
			return refused("only", strings.Join(b.Only, ","))
		default:
			return refused("skip", strings.Join(b.Skip, ","))
		}
	}
	return nil
}

// runs reports whether one of the steps is chosen and not skipped, or with checked at least needed by one.
func (b Bootstrap) runs(graph *step.Graph, steps map[step.ID]bool, checked bool) (bool, error) {
	skipped, err := graph.Named(b.Skip...)
	if err != nil {
		return false, err
	}
	chosen, err := graph.Named(b.Only...)
	if len(b.Only) == 0 {
		chosen = steps
	} else if needed, failed := graph.Only(b.Only...); err == nil && checked && failed == nil {
		for _, s := range needed.Steps() {
			chosen[s.ID] = true
		}
	}
	for id := range steps {
		if chosen[id] && !skipped[id] {
			return true, err
		}
	}
	return false, err
}
