package hostedcluster

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// reservedNames lists the platform's namespaces. reservedPrefixes has the names that also begin other namespaces
// (NAME-...).
func reservedNames() []string {
	return []string{"default", "openshift", "kube", "hypershift", "open-cluster-management", "multicluster-engine", "hive",
		"local-cluster", "metallb-system", "kubevirt-hyperconverged", AssignmentsNamespace}
}

// reservedPrefixes lists the prefixes of namespaces of Kubernetes, OpenShift, HyperShift, Open Cluster Management and
// hcctl.
func reservedPrefixes() []string {
	return []string{"openshift-", "kube-", "hypershift-", "open-cluster-management-", "multicluster-engine-",
		"klusterlet-", ProbePrefix}
}

// ProbePrefix begins the names of the namespaces that hcctl probe creates.
const ProbePrefix = "hcctl-probe-"

// ReservedNamespace reports whether a namespace belongs to the platform or to hcctl. It cannot hold a hosted cluster,
// and roles, manifests, archives and schedules must not use it for one.
func ReservedNamespace(name string) bool {
	return slices.Contains(reservedNames(), name) ||
		slices.ContainsFunc(reservedPrefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// CheckNamespace returns an error for a reserved namespace, see ReservedNamespace.
func CheckNamespace(name string) error {
	if !ReservedNamespace(name) {
		return nil
	}
	return failure.New(failure.Other, hint.New("choose a namespace of your own, such as %s", defaultNamespace),
		"the namespace %s belongs to the platform, and cannot hold hosted clusters", name)
}

// SecretTypes lists the types of Secrets that a cluster may be created from. kubernetes.io/service-account-token is not
// one of them: such a Secret would get the token of a ServiceAccount.
func SecretTypes() []string {
	return []string{"", "Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg",
		"kubernetes.io/basic-auth", "kubernetes.io/ssh-auth"}
}

// CompanionKind reports whether a file may add objects of a kind to a cluster's namespace without a flag that allows
// it: the kinds that a cluster's options refer to. secretType is the type of a Secret.
func CompanionKind(gk schema.GroupKind, secretType string) bool {
	switch gk {
	case schema.GroupKind{Kind: "ConfigMap"}:
		return true
	case schema.GroupKind{Kind: "Secret"}:
		return slices.Contains(SecretTypes(), secretType)
	}
	return false
}
