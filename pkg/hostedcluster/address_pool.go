package hostedcluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// metalLBNamespace is where MetalLB looks for its own objects.
const metalLBNamespace = "metallb-system"

// servesPrefix begins the annotation of an IPAddressPool that create made serve a control plane's namespace, whose name
// follows. The value is a poolMark; a namespace that somebody else put into the pool has none.
const servesPrefix = "serves.hcctl.dev/"

// poolMark is the value of a servesPrefix annotation: "namespace/name", then "/UID" once the HostedCluster exists.
func poolMark(cluster string, uid types.UID) string {
	if uid == "" {
		return cluster
	}
	return cluster + "/" + string(uid)
}

// parsePoolMark reads what poolMark wrote.
func parsePoolMark(value string) mark {
	parts := strings.SplitN(value, "/", 3)
	if len(parts) < 2 {
		return mark{}
	}
	m := mark{cluster: parts[0] + "/" + parts[1]}
	if len(parts) == 3 {
		m.uid = types.UID(parts[2])
	}
	return m
}

// poolNamespaces are the namespaces that an IPAddressPool serves.
func poolNamespaces(pool *unstructured.Unstructured) []string {
	namespaces, _, _ := unstructured.NestedStringSlice(pool.Object, "spec", "serviceAllocation", "namespaces")
	return namespaces
}
