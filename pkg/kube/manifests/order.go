package manifests

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
)

// The order of application: what others live in or are made of goes first, what needs a running operator last.
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

// ranks are the kinds whose place is known; others are configuration, unless a CRD of the directory defines them.
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

// order sorts the manifests by rank, those of one rank as they were read, and refuses an object that occurs twice. It
// notes which of them say by their status whether they are up.
// foreign is the rank of kinds that neither Kubernetes has nor a CRD of the list defines.
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
	all.mark()
	return nil
}

// ofPlatform reports whether a group is one of Kubernetes (without a dot, or of k8s.io) or of OpenShift.
func ofPlatform(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") ||
		strings.HasSuffix(group, ".openshift.io")
}

// Common names the first object that both lists have; empty if there is none.
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

// identity is the object among those of all groups, whatever the version.
func (m Manifest) identity() string {
	return m.GroupVersionKind().GroupKind().String() + " " + kube.Name(m.Unstructured)
}

// Operator are the manifests that make the operator: all but custom resources.
func (all List) Operator() List {
	return slices.DeleteFunc(slices.Clone(all), func(m Manifest) bool { return m.rank == rankCustom })
}

// Custom are the custom resources of the CRDs in the directory.
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

// Defines reports whether a CRD of that name is among the manifests, such as "hyperconvergeds.hco.kubevirt.io".
func (all List) Defines(crd string) bool {
	return slices.ContainsFunc(all, func(m Manifest) bool {
		return m.rank == rankDefinition && m.GetName() == crd
	})
}
