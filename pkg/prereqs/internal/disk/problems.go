package disk

import (
	"fmt"
	"slices"
)

// Held is what a LocalVolume of hcctl takes already: paths, on the nodes with these hostname labels, for volumes of the
// class.
type Held struct {
	Class        string
	Paths, Hosts []string
}

// Holds tells whether the disk of the node with that hostname label is one of them.
func (h Held) Holds(host string, d Disk) bool {
	return slices.Contains(h.Hosts, host) && (slices.Contains(h.Paths, d.Device) || d.ByID != "" &&
		slices.Contains(h.Paths, d.ByID))
}

// findProblems says why the plan cannot be carried out: a disk that was named and cannot be taken, or one that a
// LocalVolume would take too. It names paths once for all of its nodes.
func (p *Plan) findProblems(held Held) {
	for _, n := range p.Selection.named {
		i := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Node == n.Node && r.Link() == n.Link })
		switch {
		case i < 0:
			p.Problems = append(p.Problems, fmt.Sprintf("%s: there is no such disk", n))
		case !p.Rows[i].Taken:
			p.Problems = append(p.Problems, fmt.Sprintf("%s: %s", n, p.Rows[i].Why))
		}
	}
	p.findTwice()
	paths, nodes := slices.Clone(held.Paths), p.Nodes()
	for _, d := range p.Taken() {
		paths = append(paths, d.Path())
	}
	for _, r := range p.Rows {
		if r.Taken || r.Class != "" || !slices.Contains(nodes, r.Node) {
			continue
		}
		if slices.Contains(paths, r.Device) || r.ByID != "" && slices.Contains(paths, r.ByID) {
			p.Problems = append(p.Problems, fmt.Sprintf("%s has the same name as a disk that is taken on another node, "+
				"and would be taken too", r.Place()))
		}
	}
}

// findTwice finds one disk that was named at several places.
func (p *Plan) findTwice() {
	for i, r := range p.Rows {
		for _, other := range p.Rows[:i] {
			if r.Taken && other.Taken && slices.Contains(r.Shared, other.Place()) {
				p.Problems = append(p.Problems, fmt.Sprintf("%s and %s are the same disk", other.Place(), r.Place()))
			}
		}
	}
}
