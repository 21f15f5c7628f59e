package hostedcluster

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// reservedNames are namespaces of the platform, by name; those that also begin others (NAME-...) are in
// reservedPrefixes.
func reservedNames() []string {
	return []string{"default", "openshift", "kube", "hypershift", "open-cluster-management", "multicluster-engine", "hive",
		"local-cluster", "metallb-system", "kubevirt-hyperconverged", AssignmentsNamespace}
}

// reservedPrefixes begin the names of namespaces of Kubernetes, OpenShift, HyperShift, Open Cluster Management and
// hcctl.
func reservedPrefixes() []string {
	return []string{"openshift-", "kube-", "hypershift-", "open-cluster-management-", "multicluster-engine-",
		"klusterlet-", ProbePrefix}
}

// ProbePrefix begins the names of the namespaces of hcctl probe.
const ProbePrefix = "hcctl-probe-"

// ReservedNamespace reports whether a namespace belongs to the platform or to hcctl. It holds no hosted cluster, and no
// role, manifest, archive or schedule may name it as that of one.
func ReservedNamespace(name string) bool {
	return slices.Contains(reservedNames(), name) ||
		slices.ContainsFunc(reservedPrefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// CheckNamespace returns an error for a namespace that is reserved, see ReservedNamespace.
func CheckNamespace(name string) error {
	if !ReservedNamespace(name) {
		return nil
	}
	return failure.New(failure.Other, hint.New("choose a namespace of your own, such as %s", defaultNamespace),
		"the namespace %s belongs to the platform, and cannot hold hosted clusters", name)
}

// SecretTypes are the types of the Secrets that a cluster is made of. One of type kubernetes.io/service-account-token
// would get the token of a ServiceAccount.
func SecretTypes() []string {
	return []string{"", "Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg",
		"kubernetes.io/basic-auth", "kubernetes.io/ssh-auth"}
}

// CompanionKind reports whether a file may bring objects of a kind into the namespace of a cluster without being asked
// for: those that the options of a cluster name. secretType is the type of a Secret.
func CompanionKind(gk schema.GroupKind, secretType string) bool {
	switch gk {
	case schema.GroupKind{Kind: "ConfigMap"}:
		return true
	case schema.GroupKind{Kind: "Secret"}:
		return slices.Contains(SecretTypes(), secretType)
	}
	return false
}
