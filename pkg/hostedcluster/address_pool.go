package hostedcluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ServesPrefix begins the annotations that create puts on an IPAddressPool, one for each control plane namespace that
// it added to the pool. The namespace follows the prefix and the value is a PoolMark. Namespaces that others added have
// no annotation.
const ServesPrefix = "serves.hcctl.dev/"

// PoolMark returns the value of a ServesPrefix annotation: "namespace/name", then "/UID" once the HostedCluster exists.
func PoolMark(cluster string, uid types.UID) string {
	if uid == "" {
		return cluster
	}
	return cluster + "/" + string(uid)
}

// ParsePoolMark parses a value that PoolMark returned. It returns the zero Mark for any other value.
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

// PoolNamespaces returns the namespaces that an IPAddressPool serves.
func PoolNamespaces(pool *unstructured.Unstructured) []string {
	namespaces, _, _ := unstructured.NestedStringSlice(pool.Object, "spec", "serviceAllocation", "namespaces")
	return namespaces
}
