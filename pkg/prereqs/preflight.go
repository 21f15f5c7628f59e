package prereqs

import (
	"net/netip"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wanted is a hosted cluster that is about to be created, as far as the management cluster has to have something for it.
type Wanted struct {
	// Clusters is how many there are to be of it, each as the rest says; zero means one.
	Clusters int64
	// Networks are its own, with what messages call each, such as "--cluster-cidr". A machine network is none of its own: its nodes
	// are in the management cluster's pod network.
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

// PreflightIDs are the checks that Preflight may have.
func PreflightIDs() []step.ID {
	return []step.ID{
		HypershiftOperator, HypershiftVersions, ClusterGuestNetworks, ClusterPullSecret, SingleDefaultClass, DefaultClass, IngressWildcard, IngressDNS,
		LoadBalancerFreeAddresses, LoadBalancerAdvertisement, ClusterCapacity, HyperConverged,
	}
}

// Preflight are the steps that have to hold before the hosted cluster is created. They have the IDs and the words of those of check, and are
// only looked at: none is applied, none waits for another. What check only advises about is required here where this very cluster would suffer from it.
func Preflight(c *kube.Client, w Wanted) []step.Step {
	wanted := map[step.ID]bool{HypershiftOperator: true, HypershiftVersions: true, ClusterGuestNetworks: true, ClusterPullSecret: true, SingleDefaultClass: w.DefaultClass,
		DefaultClass: w.DefaultClass, IngressWildcard: w.PassesThrough, IngressDNS: w.PassesThrough, LoadBalancerFreeAddresses: w.LoadBalancer,
		LoadBalancerAdvertisement: w.LoadBalancer, ClusterCapacity: !w.Elsewhere, HyperConverged: !w.Elsewhere}
	required := map[step.ID]bool{ClusterGuestNetworks: true, ClusterCapacity: true}
	var steps []step.Step
	for _, s := range Steps(c, Options{}) {
		if !wanted[s.ID] {
			continue
		}
		switch s.ID {
		case ClusterGuestNetworks:
			s.Check = checkWantedNetworks(c, w.spans())
		case ClusterCapacity:
			s.Check = checkRoom(c, w.demand())
		case HypershiftOperator:
			// Who prepares a hosted cluster has asked for it.
			s.Check = checkServedOperator(c)
		case ClusterPullSecret:
			s.Check = checkGivenPullSecret(c, w.PullSecret)
		}
		if required[s.ID] {
			s.Severity = step.Required
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
func (w Wanted) demand() Demand {
	plane, copies := ControlPlane(w.HighlyAvailable)
	machines := Machines(w.Workers, w.Cores, w.Memory)
	return Demand{Clusters: w.Clusters, Workers: w.Workers, Plane: plane, Machines: machines, Copies: copies}
}

// Requested is what one cluster requests by the sizing guidance that the check of capacity goes by (docs/scale.md), and in how
// many copies its control plane runs. Workers that run elsewhere request nothing here.
func (w Wanted) Requested() (plane, machines Resources, copies int64) {
	d := w.demand()
	if w.Elsewhere {
		d.Machines = Resources{}
	}
	return d.Plane, d.Machines, d.Copies
}
