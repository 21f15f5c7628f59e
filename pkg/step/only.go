package step

import (
	"fmt"
	"slices"
)

// Only returns the graph of the named steps and all their needs; a name is a step's ID or a group. The added needs are
// checked, but never applied.
func (g *Graph) Only(names ...string) (*Graph, error) {
	chosen, err := g.Named(names...)
	if err != nil {
		return nil, err
	}
	needed := map[ID]bool{}
	var need func(ID)
	need = func(id ID) {
		if needed[id] {
			return
		}
		needed[id] = true
		for _, n := range g.steps[g.index[id]].Needs {
			need(n)
		}
	}
	for id := range chosen {
		need(id)
	}
	var steps []Step
	for _, s := range g.steps {
		if !needed[s.ID] {
			continue
		}
		if !chosen[s.ID] {
			s.Apply, s.support = nil, true
		}
		steps = append(steps, s)
	}
	return New(steps...)
}

// Named returns the IDs of the steps with these names; a name is a step's ID or a group. The error is an
// *UnknownNameError.
func (g *Graph) Named(names ...string) (map[ID]bool, error) {
	out := map[ID]bool{}
	for _, name := range names {
		ids := g.idsOf(name)
		if len(ids) == 0 {
			return nil, &UnknownNameError{Name: name, Known: g.Names()}
		}
		for _, id := range ids {
			out[id] = true
		}
	}
	return out, nil
}

// UnknownNameError is a name that is neither a step's ID nor a group.
type UnknownNameError struct {
	Name string
	// Known lists the valid names, see Graph.Names.
	Known []string
}

// Error contains the name.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("%q is neither a step nor a group of steps", e.Name)
}

// idsOf returns the step with this ID, or all steps of this group. A group may be written as in IDs ("load-balancer")
// or as in reports ("load balancer").
func (g *Graph) idsOf(name string) []ID {
	if _, ok := g.index[ID(name)]; ok {
		return []ID{ID(name)}
	}
	var ids []ID
	for _, s := range g.steps {
		if s.Group == name || s.ID.Group() == name {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Names returns the valid arguments of Only: the groups, then the steps' IDs.
func (g *Graph) Names() []string {
	var groups []string
	for _, s := range g.steps {
		if group := s.ID.Group(); group != "" && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return append(groups, g.IDs()...)
}

// IDs lists the steps' IDs, in their order.
func (g *Graph) IDs() []string {
	ids := make([]string, len(g.steps))
	for i, s := range g.steps {
		ids[i] = string(s.ID)
	}
	return ids
}
