package capacity

// Room is what one node has, and what its pods request.
type Room struct {
	Node      string
	Has, Used Resources
}

// Free returns what no pod on the node requests.
func (r Room) Free() Resources { return r.Has.Minus(r.Used) }

// Fitting returns how many hosted clusters fit on the nodes by their requests, and what runs out first: CPU, memory,
// pods or nodes. Each replica of a control plane runs on another node.
func Fitting(rooms []Room, plane, machines Resources, copies int64) (n int64, scarcest string) {
	total := Resources{}
	for _, r := range rooms {
		total = total.Plus(r.Free().Most(Resources{}))
	}
	n, scarcest = total.holds(plane.Plus(machines))
	one := Resources{plane.MilliCPU / copies, plane.Memory / copies, plane.Pods / copies}
	for ; n > 0; n-- {
		spread := int64(0)
		for _, r := range rooms {
			places, _ := r.Free().holds(one)
			spread += min(places, n)
		}
		if spread >= copies*n {
			break
		}
		scarcest = "nodes"
	}
	return n, scarcest
}
