package prereq

import (
	"bytes"
	"net/netip"
	"strings"
)

// Wanted is a hosted cluster that is about to be created, with its demands on the management cluster.
type Wanted struct {
	// Clusters is the number of such hosted clusters; zero means one.
	Clusters int64
	// Networks are the networks it uses, each with its name in messages, such as "--cluster-cidr".
	Networks []WantedNetwork
	// AnyFamily means that none of its nodes is in the management cluster's pod network.
	AnyFamily bool
	// HighlyAvailable control planes run three replicas, others one.
	HighlyAvailable bool
	// ZoneBound means that its release puts each pod of a highly available control plane into a zone of its own (up to
	// 4.17).
	ZoneBound bool
	// Workers is the number of its VMs. Cores and Memory (in bytes) are their sums.
	Workers, Cores, Memory int64
	// Pulls are the release images with their credentials, one for each hosted cluster without duplicates.
	Pulls []WantedPull
	// PassesThrough means that its ingress is a wildcard Route of the management cluster.
	PassesThrough bool
	// LoadBalancer means that its API server gets an address of a load balancer.
	LoadBalancer bool
	// Addresses is the number of hosted clusters with such an address; zero means one.
	Addresses int64
	// DefaultClass means that a volume names no StorageClass.
	DefaultClass bool
	// Elsewhere means that its VMs run on another cluster.
	Elsewhere bool
}

// WantedPull is the source of a hosted cluster's release images, and the credentials for it.
type WantedPull struct {
	// Cluster is the hosted cluster, such as "clusters/kv-00", or "" if there is only one.
	Cluster string
	// Secret is the content of its own dockerconfigjson, or nil if it uses the management cluster's.
	Secret []byte
	// Release is the release image, or "" if unknown.
	Release string
}

// Same reports whether both pull from the same repository with the same credentials.
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
	// Shared means addresses that are not its own, such as those of its nodes in the management cluster's pod network.
	// Only a Service of the management cluster must not have them too.
	Shared bool
}
