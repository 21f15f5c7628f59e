package disk

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
)

// Held lists what a LocalVolume or LVMCluster of hcctl takes already: paths, on the nodes with these hostname labels,
// for volumes of the class, if any.
type Held struct {
	Class        string
	Paths, Hosts []string
	// Closed means that no node can be added.
	Closed bool
	// Everywhere means that each path must exist on each node.
	Everywhere bool
}

// Holds reports whether the disk is one of them. host is the hostname label of its node.
func (h Held) Holds(host string, d Disk) bool {
	return slices.Contains(h.Hosts, host) && (slices.Contains(h.Paths, d.Device) || d.ByID != "" &&
		slices.Contains(h.Paths, d.ByID))
}

// findProblems adds the reasons why the plan cannot be applied: a named disk that cannot be taken, or a disk that would
// be taken too. A LocalVolume or LVMCluster lists paths once for all of its nodes.
func (p *Plan) findProblems(held Held, nodes []corev1.Node) {
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
	p.findElsewhere(held, nodes)
	paths, taking := slices.Clone(held.Paths), p.Nodes()
	for _, d := range p.Taken() {
		paths = append(paths, d.Path())
	}
	for _, r := range p.Rows {
		ownDisk := len(r.Shared) == 0 && held.Holds(labelsOf(nodes, r.Node)[corev1.LabelHostname], r.Disk)
		if r.Taken || r.Class != "" || ownDisk || !slices.Contains(taking, r.Node) {
			continue
		}
		if slices.Contains(paths, r.Device) || r.ByID != "" && slices.Contains(paths, r.ByID) {
			p.Problems = append(p.Problems, fmt.Sprintf("%s has the same name as a disk that is taken on another node, "+
				"and would be taken too", r.Place()))
		}
	}
}

// findElsewhere adds the disks whose path does not exist on another node.
func (p *Plan) findElsewhere(held Held, nodes []corev1.Node) {
	if !held.Everywhere {
		return
	}
	wanting := p.Nodes()
	for _, n := range nodes {
		if slices.Contains(held.Hosts, n.Labels[corev1.LabelHostname]) && !slices.Contains(wanting, n.Name) {
			wanting = append(wanting, n.Name)
		}
	}
	on := map[[2]string]bool{}
	for i := range p.Rows {
		on[[2]string{p.Rows[i].Node, p.Rows[i].Path()}] = p.Rows[i].Taken
	}
	for i := range p.Rows {
		for _, node := range wanting {
			if path := p.Rows[i].Path(); p.Rows[i].Taken && !on[[2]string{node, path}] {
				p.Problems = append(p.Problems,
					fmt.Sprintf("%s has no disk %s, and LVM Storage wants each disk on every node: choose disks of one node (%s "+
						"%s=...)", node, path, hint.Flag("disk-nodes"), corev1.LabelHostname))
			}
		}
	}
}

// findTwice adds disks that were named at several places.
func (p *Plan) findTwice() {
	for i, r := range p.Rows {
		for _, other := range p.Rows[:i] {
			if r.Taken && other.Taken && slices.Contains(r.Shared, other.Place()) {
				p.Problems = append(p.Problems, fmt.Sprintf("%s and %s are the same disk", other.Place(), r.Place()))
			}
		}
	}
}
