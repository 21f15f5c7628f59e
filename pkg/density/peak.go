package density

import (
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs"
)

// Peak is the most that was seen in any look, each by itself. Nodes are those that host.
type Peak struct {
	Looks       int               `json:"looks"`
	Requested   prereqs.Resources `json:"requested"`
	Allocatable prereqs.Resources `json:"allocatable"`
	// PerCluster is the most that the pods of one cluster of the run requested.
	PerCluster prereqs.Resources `json:"perCluster"`
	// Pending is the most pods that were stalled at once, those of before the run left out.
	Pending int `json:"pendingPods"`
	// LeastAddresses is the fewest that were free.
	LeastAddresses prereqs.Addresses `json:"leastAddresses"`
	// Nodes by name, each with the most it was asked for.
	Nodes []Node `json:"nodes"`
}

// Point is one look, for the chart.
type Point struct {
	At          time.Time         `json:"at"`
	Begun       int               `json:"begun"`
	Complete    int               `json:"complete"`
	Requested   prereqs.Resources `json:"requested"`
	Allocatable prereqs.Resources `json:"allocatable"`
	Pending     int               `json:"pendingPods"`
	Addresses   uint64            `json:"freeAddresses"`
}

// mostPoints bounds how many looks are kept: then every second one goes.
const mostPoints = 600

// saw takes a sample into the record.
func (r *Record) saw(s *Sample) {
	p := &r.Peak
	has, used := s.totals()
	pending := len(longer(s.Stalled, s.At, 0, r.Baseline.Stalled))
	if p.Looks == 0 || s.Addresses.Free < p.LeastAddresses.Free {
		p.LeastAddresses = s.Addresses
	}
	p.Looks++
	p.Requested, p.Allocatable, p.Pending = p.Requested.Most(used), p.Allocatable.Most(has), max(p.Pending, pending)
	for _, c := range r.Clusters {
		p.PerCluster = p.PerCluster.Most(s.Namespaces[r.planeOf(c)])
	}
	for _, n := range s.Nodes {
		p.node(n)
	}
	point := Point{At: s.At, Requested: used, Allocatable: has, Pending: pending, Addresses: s.Addresses.Free}
	for _, c := range r.Clusters {
		if c.State != Waiting && (c.Deletion == nil || !c.Deletion.Gone) {
			point.Begun++
			if c.State == Complete {
				point.Complete++
			}
		}
	}
	r.Samples = append(r.Samples, point)
	if len(r.Samples) > mostPoints {
		kept := r.Samples[:0]
		for i := 0; i < len(r.Samples); i += 2 {
			kept = append(kept, r.Samples[i])
		}
		r.Samples = kept
	}
}

// node keeps the most that was requested of one.
func (p *Peak) node(n Node) {
	for i := range p.Nodes {
		if p.Nodes[i].Name == n.Name {
			n.Used = n.Used.Most(p.Nodes[i].Used)
			p.Nodes[i] = n
			return
		}
	}
	p.Nodes = append(p.Nodes, n)
}
