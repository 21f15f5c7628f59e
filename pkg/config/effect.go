package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// HasEffect returns an *option.Error if the field's value has no effect with the other settings. graph has all
// steps; called returns how the user calls another field, with its value.
func (b *Bootstrap) HasEffect(f Field, graph *step.Graph, called func(field, value string) string) error {
	e := f.Runs
	refused := func(other, value string) error {
		return option.Errorf(f.Name, nil, "has no effect with %s", called(other, value))
	}
	if mode := string(b.Storage.Mode); e.Modes != "" && !slices.Contains(strings.Fields(e.Modes), mode) {
		return refused("storage.mode", mode)
	}
	wanted := [][]string{strings.Fields(e.Groups)}
	if e.Names {
		wanted = nil
		names, _ := option.At(reflect.ValueOf(*b), f.Name).Interface().(options.List)
		for _, name := range names {
			wanted = append(wanted, []string{name})
		}
	}
	without := *b
	if f.Name == "skip" {
		without.Skip = nil
	}
	for _, names := range wanted {
		steps := map[step.ID]bool{}
		for _, name := range names {
			ids, _ := graph.Named(name) // none for a group that the settings leave out
			maps.Copy(steps, ids)
		}
		run, err := without.runs(graph, steps, e.Checked)
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

// runs reports whether one of the steps is chosen and not skipped. With checked, a step that a chosen one needs
// counts, too.
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
