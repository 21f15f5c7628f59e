package hostedcluster

import (
	"fmt"
	"slices"
	"strings"
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
	return []string{"openshift-", "kube-", "hypershift-", "open-cluster-management-", "multicluster-engine-", "klusterlet-",
		ProbePrefix}
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
	return &ReservedNamespaceError{Name: name}
}

// ReservedNamespaceError means that a namespace belongs to the platform or to hcctl.
type ReservedNamespaceError struct{ Name string }

func (e *ReservedNamespaceError) Error() string {
	return fmt.Sprintf("the namespace %s belongs to the platform, and cannot hold hosted clusters", e.Name)
}

// Hint says what to do instead.
func (*ReservedNamespaceError) Hint() string {
	return "choose a namespace of your own, such as " + defaultNamespace
}
