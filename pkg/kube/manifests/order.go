package manifests

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
)

// The order of application: namespaces and definitions first, objects that need a running operator last.
const (
	rankNamespace = iota
	rankDefinition
	rankAccess
	rankConfiguration
	rankWorkload
	rankWebhook
	rankForeign
	rankCustom
)

// ranks returns the kinds with a fixed rank. Other kinds are configuration, unless a CRD of the list defines them.
func ranks() map[string]int {
	return map[string]int{
		"Namespace": rankNamespace, "CustomResourceDefinition": rankDefinition,
		"ServiceAccount": rankAccess, "Role": rankAccess, "RoleBinding": rankAccess, "ClusterRole": rankAccess,
		"ClusterRoleBinding": rankAccess,
		"PriorityClass":      rankAccess, "SecurityContextConstraints": rankAccess,
		"Service": rankWorkload, "Deployment": rankWorkload, "DaemonSet": rankWorkload, "StatefulSet": rankWorkload,
		"ReplicaSet": rankWorkload, "Pod": rankWorkload, "Job": rankWorkload, "CronJob": rankWorkload,
		"ValidatingWebhookConfiguration": rankWebhook, "MutatingWebhookConfiguration": rankWebhook, "APIService": rankWebhook,
	}
}

// order sorts the manifests by rank, keeping the file order within a rank, and marks those whose status reports
// readiness. It fails if an object occurs twice. foreign is the rank of kinds that are neither of Kubernetes nor
// OpenShift, nor defined by a CRD of the list.
func (all List) order(foreign int) error {
	defined := map[schema.GroupKind]bool{}
	for _, m := range all {
		if m.GetKind() == kube.CustomResourceDefinition.Kind {
			defined[schema.GroupKind{Group: kube.Text(m.Unstructured, "spec", "group"),
				Kind: kube.Text(m.Unstructured, "spec", "names", "kind")}] = true
		}
	}
	seen := map[string]string{}
	for i := range all {
		m := &all[i]
		key := m.identity()
		if other, twice := seen[key]; twice {
			return fmt.Errorf("%s: %s is in %s as well", m.where, m.name(), other)
		}
		seen[key] = m.where
		m.rank = rankConfiguration
		if r, known := ranks()[m.GetKind()]; !ofPlatform(m.GroupVersionKind().Group) {
			m.rank = foreign
		} else if known {
			m.rank = r
		}
		if defined[m.GroupVersionKind().GroupKind()] {
			m.rank = rankCustom
		}
	}
	slices.SortStableFunc(all, func(a, b Manifest) int { return a.rank - b.rank })
	all.markReporting()
	return nil
}

// ofPlatform reports whether a group belongs to Kubernetes (no dot, or k8s.io) or OpenShift.
func ofPlatform(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") ||
		strings.HasSuffix(group, ".openshift.io")
}

// Common returns the name of the first object that both lists have; "" if there is none.
func (all List) Common(other List) string {
	seen := map[string]bool{}
	for _, m := range all {
		seen[m.identity()] = true
	}
	for _, m := range other {
		if seen[m.identity()] {
			return m.name()
		}
	}
	return ""
}

// identity returns the group, kind and name of the object, without the version.
func (m Manifest) identity() string {
	return m.GroupVersionKind().GroupKind().String() + " " + kube.Name(m.Unstructured)
}

// Operator returns the manifests of the operator: all except custom resources.
func (all List) Operator() List {
	return slices.DeleteFunc(slices.Clone(all), func(m Manifest) bool { return m.rank == rankCustom })
}

// Custom returns the custom resources whose CRDs are in the list.
func (all List) Custom() List {
	return slices.DeleteFunc(slices.Clone(all), func(m Manifest) bool { return m.rank != rankCustom })
}

// Find returns the first manifest of the kind, or nil.
func (all List) Find(group, kind string) *unstructured.Unstructured {
	for _, m := range all {
		if m.GetKind() == kind && m.GroupVersionKind().Group == group {
			return m.Unstructured
		}
	}
	return nil
}

// Defines reports whether the list has a CRD with this name, such as "hyperconvergeds.hco.kubevirt.io".
func (all List) Defines(crd string) bool {
	return slices.ContainsFunc(all, func(m Manifest) bool {
		return m.rank == rankDefinition && m.GetName() == crd
	})
}
