package step

import (
	"fmt"
	"slices"
	"strings"
)

// Graph is a set of steps that contains all their needs, without cycles.
type Graph struct {
	steps []Step
	index map[ID]int
}

// New returns a Graph of the steps and keeps their order for reports. It fails on a duplicate ID, an unknown need, a
// step without Check, or a cycle.
func New(steps ...Step) (*Graph, error) {
	g := &Graph{steps: steps, index: make(map[ID]int, len(steps))}
	for i, s := range steps {
		if _, ok := g.index[s.ID]; ok {
			return nil, fmt.Errorf("two steps have the ID %q", s.ID)
		}
		if s.Check == nil {
			return nil, fmt.Errorf("step %q has no check", s.ID)
		}
		g.index[s.ID] = i
	}
	for _, s := range steps {
		for _, need := range s.Needs {
			if _, ok := g.index[need]; !ok {
				return nil, fmt.Errorf("step %q needs %q, which is not a step", s.ID, need)
			}
		}
	}
	if cycle := g.cycle(); cycle != nil {
		return nil, fmt.Errorf("steps need each other in a circle: %s", strings.Join(cycle, " -> "))
	}
	return g, nil
}

// InOrder returns the steps in topological order, each after its needs. Otherwise it keeps the order.
func InOrder(steps []Step) []Step {
	g := &Graph{steps: steps, index: make(map[ID]int, len(steps))}
	for i, s := range steps {
		g.index[s.ID] = i
	}
	ordered := make([]Step, 0, len(steps))
	for _, i := range g.order() {
		ordered = append(ordered, steps[i])
	}
	return ordered
}

// Steps returns the steps in their order.
func (g *Graph) Steps() []Step { return slices.Clone(g.steps) }

// before returns the IDs of the steps that must end before s starts: Needs, and After if in the graph.
func (g *Graph) before(s *Step) []ID {
	ids := slices.Clone(s.Needs)
	for _, id := range s.After {
		if _, ok := g.index[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// cycle returns the IDs along a cycle, or nil.
func (g *Graph) cycle() []string {
	const visiting, done = 1, 2
	mark := make([]int, len(g.steps))
	var path []string
	var visit func(i int) bool
	visit = func(i int) bool {
		path = append(path, string(g.steps[i].ID))
		mark[i] = visiting
		for _, need := range g.before(&g.steps[i]) {
			j := g.index[need]
			if mark[j] == visiting {
				path = append(path, string(need))
				return true
			}
			if mark[j] == 0 && visit(j) {
				return true
			}
		}
		mark[i] = done
		path = path[:len(path)-1]
		return false
	}
	for i := range g.steps {
		if mark[i] == 0 && visit(i) {
			return path
		}
	}
	return nil
}
