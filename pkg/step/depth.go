package step

// Depth tells for each step how many steps stand one after the other before it: 0 for those that need nothing.
func (g *Graph) Depth() map[ID]int {
	depth := make(map[ID]int, len(g.steps))
	for _, i := range g.order() {
		s := &g.steps[i]
		for _, need := range s.Needs {
			depth[s.ID] = max(depth[s.ID], depth[need]+1)
		}
	}
	return depth
}
