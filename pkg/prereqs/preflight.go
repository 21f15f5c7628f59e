package prereqs

import (
	"net/netip"
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/management"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wanted is a hosted cluster that is about to be created, as far as the management cluster has to have something for
// it.
type Wanted struct {
	// Clusters is how many there are to be of it, each as the rest says; zero means one.
	Clusters int64
	// Networks are its own, with what messages call each, such as "--cluster-cidr". A machine network is none of its own:
	// its nodes are in the management cluster's pod network.
	Networks []WantedNetwork
	// HighlyAvailable control planes run three copies, others one.
	HighlyAvailable bool
	// Workers is the number of its VMs, Cores and Memory what they have in all (Memory in bytes).
	Workers, Cores, Memory int64
	// PullSecret is the content of its own dockerconfigjson; nil where it gets the management cluster's.
	PullSecret []byte
	// PassesThrough is set where its ingress is a wildcard Route of the management cluster.
	PassesThrough bool
	// LoadBalancer is set where its API server gets an address of a load balancer.
	LoadBalancer bool
	// DefaultClass is set where a volume names no StorageClass.
	DefaultClass bool
	// Elsewhere is set where its VMs run on another cluster.
	Elsewhere bool
}

// WantedNetwork is one network of a hosted cluster.
type WantedNetwork struct {
	Name string
	CIDR netip.Prefix
}

// The IDs of checks by which callers tell findings apart.
const (
	ClusterCapacity = management.Capacity
	IngressWildcard = ingress.Wildcard
	IngressDNS      = ingress.DNS
	StorageCluster  = storage.Cluster
)

// PreflightIDs are the checks that Preflight may have.
func PreflightIDs() []step.ID {
	return []step.ID{
		multicluster.HypershiftOperator, multicluster.HypershiftVersions, management.GuestNetworks, management.PullSecret,
		storage.SingleDefaultClass, storage.DefaultClass, ingress.Wildcard, ingress.DNS, loadbalancer.FreeAddresses,
		loadbalancer.Advertisement, management.Capacity, prereq.HyperConverged,
	}
}

// needs tells whether the cluster depends on a check.
func (w Wanted) needs(id step.ID) bool {
	switch id {
	case storage.SingleDefaultClass, storage.DefaultClass:
		return w.DefaultClass
	case ingress.Wildcard, ingress.DNS:
		return w.PassesThrough
	case loadbalancer.FreeAddresses, loadbalancer.Advertisement:
		return w.LoadBalancer
	case management.Capacity, prereq.HyperConverged:
		return !w.Elsewhere
	}
	return slices.Contains(PreflightIDs(), id)
}

// Preflight are the steps that have to hold before the hosted cluster is created. They have the IDs and the words of
// those of check, and are only looked at: none is applied, none waits for another. What check only advises about is
// required here where this very cluster would suffer from it.
func Preflight(c *kube.Client, w Wanted) []step.Step {
	var steps []step.Step
	for _, s := range Steps(c, Usual()) {
		if !w.needs(s.ID) {
			continue
		}
		switch s.ID {
		case management.GuestNetworks:
			s.Check, s.Severity = management.CheckWantedNetworks(c, w.spans()), step.Required
		case management.Capacity:
			s.Check, s.Severity = management.CheckRoom(c, w.demand()), step.Required
		case multicluster.HypershiftOperator:
			// Who prepares a hosted cluster has asked for it.
			s.Check = multicluster.CheckServedOperator(c)
		case management.PullSecret:
			s.Check = management.CheckGivenPullSecret(c, w.PullSecret)
		}
		s.Needs, s.After, s.Apply = nil, nil, nil
		steps = append(steps, s)
	}
	return steps
}

func (w Wanted) spans() []kube.Span {
	spans := make([]kube.Span, 0, len(w.Networks))
	for _, n := range w.Networks {
		spans = append(spans, kube.SpanOf(n.CIDR, "", "%s", n.Name))
	}
	return spans
}

// demand is what clusters of this kind request of the management cluster's nodes.
func (w Wanted) demand() capacity.Demand {
	plane, copies := capacity.ControlPlane(w.HighlyAvailable)
	machines := capacity.Machines(w.Workers, w.Cores, w.Memory)
	return capacity.Demand{Clusters: w.Clusters, Workers: w.Workers, Plane: plane, Machines: machines, Copies: copies}
}

// Requested is what one cluster requests by the sizing guidance that the check of capacity goes by (docs/scale.md), and
// in how many copies its control plane runs. Workers that run elsewhere request nothing here.
func (w Wanted) Requested() (plane, machines Resources, copies int64) {
	d := w.demand()
	if w.Elsewhere {
		d.Machines = Resources{}
	}
	return d.Plane, d.Machines, d.Copies
}
