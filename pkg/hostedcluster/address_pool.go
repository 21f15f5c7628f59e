package hostedcluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// MetalLBNamespace is where MetalLB looks for its own objects.
const MetalLBNamespace = "metallb-system"

// ServesPrefix begins the annotation of an IPAddressPool that create made serve a control plane's namespace, whose name
// follows. The value is a PoolMark; a namespace that somebody else put into the pool has none.
const ServesPrefix = "serves.hcctl.dev/"

// PoolMark is the value of a ServesPrefix annotation: "namespace/name", then "/UID" once the HostedCluster exists.
func PoolMark(cluster string, uid types.UID) string {
	if uid == "" {
		return cluster
	}
	return cluster + "/" + string(uid)
}

// ParsePoolMark reads what PoolMark wrote.
func ParsePoolMark(value string) Mark {
	parts := strings.SplitN(value, "/", 3)
	if len(parts) < 2 {
		return Mark{}
	}
	m := Mark{Cluster: parts[0] + "/" + parts[1]}
	if len(parts) == 3 {
		m.UID = types.UID(parts[2])
	}
	return m
}

// PoolNamespaces are the namespaces that an IPAddressPool serves.
func PoolNamespaces(pool *unstructured.Unstructured) []string {
	namespaces, _, _ := unstructured.NestedStringSlice(pool.Object, "spec", "serviceAllocation", "namespaces")
	return namespaces
}
