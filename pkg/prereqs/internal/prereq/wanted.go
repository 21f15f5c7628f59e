package prereq

import "net/netip"

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
	// ZoneBound is set where its release puts each pod of a highly available control plane into a zone of its own (up to
	// 4.17).
	ZoneBound bool
	// Workers is the number of its VMs, Cores and Memory what they have in all (Memory in bytes).
	Workers, Cores, Memory int64
	// PullSecret is the content of its own dockerconfigjson; nil where it gets the management cluster's.
	PullSecret []byte
	// ReleaseImage is where its release is pulled from; empty where that is not known.
	ReleaseImage string
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
