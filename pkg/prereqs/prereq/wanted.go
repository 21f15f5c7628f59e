package prereq

import (
	"bytes"
	"net/netip"
	"strings"
)

// Wanted is a hosted cluster that is about to be created, as far as the management cluster has to have something for
// it.
type Wanted struct {
	// Clusters is how many there are to be of it, each as the rest says; zero means one.
	Clusters int64
	// Networks are those it uses, with what messages call each, such as "--cluster-cidr".
	Networks []WantedNetwork
	// AnyFamily is set where none of its nodes is in the management cluster's pod network.
	AnyFamily bool
	// HighlyAvailable control planes run three copies, others one.
	HighlyAvailable bool
	// ZoneBound is set where its release puts each pod of a highly available control plane into a zone of its own (up to
	// 4.17).
	ZoneBound bool
	// Workers is the number of its VMs, Cores and Memory what they have in all (Memory in bytes).
	Workers, Cores, Memory int64
	// Pulls are the release images and what opens their registries: one for each hosted cluster, equal ones once.
	Pulls []WantedPull
	// PassesThrough is set where its ingress is a wildcard Route of the management cluster.
	PassesThrough bool
	// LoadBalancer is set where its API server gets an address of a load balancer.
	LoadBalancer bool
	// Addresses is how many of them get one; zero means one.
	Addresses int64
	// DefaultClass is set where a volume names no StorageClass.
	DefaultClass bool
	// Elsewhere is set where its VMs run on another cluster.
	Elsewhere bool
}

// WantedPull is where a hosted cluster's release is pulled from, and with which credentials.
type WantedPull struct {
	// Cluster is the hosted cluster, such as "clusters/kv-00"; empty where only one is asked for.
	Cluster string
	// Secret is the content of its own dockerconfigjson; nil where it gets the management cluster's.
	Secret []byte
	// Release is the release image; empty where that is not known.
	Release string
}

// Same reports whether both pull from one repository with the same credentials.
func (p WantedPull) Same(q WantedPull) bool {
	return RepositoryOf(p.Release) == RepositoryOf(q.Release) && (p.Secret == nil) == (q.Secret == nil) &&
		bytes.Equal(p.Secret, q.Secret)
}

// RepositoryOf returns an image without its digest and tag.
func RepositoryOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		image = image[:i]
	}
	return image
}

// WantedNetwork is one network of a hosted cluster.
type WantedNetwork struct {
	Name string
	CIDR netip.Prefix
	// Shared is set for addresses that are not its own, such as those of its nodes, which the management cluster's pod
	// network has. Only a Service of the management cluster cannot have them, too.
	Shared bool
}
