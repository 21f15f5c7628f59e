package density

import (
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
)

// Peak holds the maximum or minimum of each value over all samples. It counts only nodes that host clusters.
type Peak struct {
	Looks       int                `json:"looks"`
	Requested   capacity.Resources `json:"requested"`
	Allocatable capacity.Resources `json:"allocatable"`
	// PerCluster is the maximum that the pods of one cluster of the run requested.
	PerCluster capacity.Resources `json:"perCluster"`
	// Pending is the maximum number of stalled pods, without those from before the run.
	Pending int `json:"pendingPods"`
	// LeastAddresses is the minimum of free addresses.
	LeastAddresses loadbalancer.Addresses `json:"leastAddresses"`
	// Nodes has the maximum requests of each node.
	Nodes []Node `json:"nodes"`
}

// Point is one sample for the chart.
type Point struct {
	At          time.Time          `json:"at"`
	Begun       int                `json:"begun"`
	Complete    int                `json:"complete"`
	Requested   capacity.Resources `json:"requested"`
	Allocatable capacity.Resources `json:"allocatable"`
	Pending     int                `json:"pendingPods"`
	Addresses   uint64             `json:"freeAddresses"`
}

// maxPoints limits the number of points. Beyond it every second point is dropped.
const maxPoints = 600

// addSample adds a sample to the record.
func (r *Record) addSample(s *Sample) {
	p := &r.Peak
	has, used := s.totals()
	pending := len(olderThan(s.Stalled, s.At, 0, r.Baseline.Stalled))
	if p.Looks == 0 || s.Addresses.Free < p.LeastAddresses.Free {
		p.LeastAddresses = s.Addresses
	}
	p.Looks++
	p.Requested, p.Allocatable, p.Pending = p.Requested.Most(used), p.Allocatable.Most(has), max(p.Pending, pending)
	for _, c := range r.Clusters {
		p.PerCluster = p.PerCluster.Most(s.Namespaces[r.controlPlaneOf(c)])
	}
	for _, n := range s.Nodes {
		p.addNode(n)
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
	if len(r.Samples) > maxPoints {
		kept := r.Samples[:0]
		for i := 0; i < len(r.Samples); i += 2 {
			kept = append(kept, r.Samples[i])
		}
		r.Samples = kept
	}
}

// addNode keeps the maximum requests of a node.
func (p *Peak) addNode(n Node) {
	for i := range p.Nodes {
		if p.Nodes[i].Name == n.Name {
			n.Used = n.Used.Most(p.Nodes[i].Used)
			p.Nodes[i] = n
			return
		}
	}
	p.Nodes = append(p.Nodes, n)
}
