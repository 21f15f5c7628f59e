package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/step"
)

// effect says with which other settings a setting has an effect.
type effect struct {
	// of is the path of a field, or of all below it if it ends with a dot.
	of string
	// groups are the groups of steps of which one has to run. With checked it is enough that a step of another group needs
	// one of them.
	groups  string
	checked bool
	// modes are the values of storage.mode with which it has an effect; empty for all.
	modes string
	// names tells that its values are groups or IDs of steps, each of which has to run.
	names bool
}

// effects has a row for each field with a flag; of several rows that describe it, the first counts.
var effects = []effect{
	{of: "storage.mode", groups: "storage", checked: true},
	{of: "storage.defaultStorageClass", groups: "storage", checked: true, modes: "auto existing odf lvms"},
	{of: "storage.grow", groups: "storage", modes: "auto odf lvms"},
	{of: "storage.disks.", groups: "storage", modes: "auto odf lvms"},
	{of: "storage.dataFoundation.", groups: "storage", modes: "auto odf"},
	// Without OLM, the checks of the cluster do not look for it.
	{of: "virtualization.manifests", groups: "virtualization cluster", checked: true},
	{of: "virtualization.", groups: "virtualization", checked: true},
	{of: "loadBalancer.metallbRanges", groups: "load-balancer"},
	{of: "loadBalancer.", groups: "load-balancer", checked: true},
	{of: "multicluster.", groups: "multicluster hypershift"},
	{of: "approval", groups: "storage virtualization load-balancer multicluster gitops"},
	{of: "with", names: true},
	{of: "takeOver", names: true},
	{of: "skip", names: true, checked: true},
}

// effectOf is the row of a field; an empty one for the run as a whole.
func effectOf(field string) effect {
	for _, e := range effects {
		if e.of == field || strings.HasSuffix(e.of, ".") && strings.HasPrefix(field, e.of) {
			return e
		}
	}
	return effect{}
}

// values are those of a field of which each is the name of a step or group.
func (b *Bootstrap) values(field string) []string {
	switch field {
	case "with":
		return b.With
	case "takeOver":
		return b.TakeOver
	}
	return b.Skip
}

// HasEffect fails with an *option.Error if the field's value changes nothing with the others. graph has all steps;
// called is what the user calls another field, with its value.
func (b *Bootstrap) HasEffect(field string, graph *step.Graph, called func(field, value string) string) error {
	e := effectOf(field)
	refused := func(other, value string) error {
		return option.Errorf(field, nil, "has no effect with %s", called(other, value))
	}
	if mode := string(b.Storage.Mode); e.modes != "" && !slices.Contains(strings.Fields(e.modes), mode) {
		return refused("storage.mode", mode)
	}
	wanted := [][]string{strings.Fields(e.groups)}
	if e.names {
		wanted = nil
		for _, name := range b.values(field) {
			wanted = append(wanted, []string{name})
		}
	}
	without := *b
	if field == "skip" {
		without.Skip = nil
	}
	for _, names := range wanted {
		steps := map[step.ID]bool{}
		for _, name := range names {
			ids, _ := graph.Named(name) // none for a group that the settings leave out
			maps.Copy(steps, ids)
		}
		run, err := without.runs(graph, steps, e.checked)
		switch {
		case err != nil:
			return err
		case run || len(steps) == 0:
		case len(b.Only) > 0:
			return refused("only", strings.Join(b.Only, ","))
		default:
			return refused("skip", strings.Join(b.Skip, ","))
		}
	}
	return nil
}

// runs reports whether one of the steps is chosen and not skipped, or with checked at least needed by one.
func (b *Bootstrap) runs(graph *step.Graph, steps map[step.ID]bool, checked bool) (bool, error) {
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
