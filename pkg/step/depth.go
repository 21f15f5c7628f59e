package step

// Depth returns for each step the length of the longest chain of needs before it; 0 for a step without needs.
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
