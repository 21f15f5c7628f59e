package kube

import (
	"fmt"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Budget has the fields of a PodDisruptionBudget that hcctl reads.
type Budget struct {
	Metadata struct {
		Namespace       string                  `json:"namespace"`
		Name            string                  `json:"name"`
		Generation      int64                   `json:"generation"`
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
	Spec   policyv1.PodDisruptionBudgetSpec   `json:"spec"`
	Status policyv1.PodDisruptionBudgetStatus `json:"status"`
}

// Name returns namespace and name.
func (b *Budget) Name() string { return b.Metadata.Namespace + "/" + b.Metadata.Name }

// OfVM reports whether KubeVirt created the budget for a VM. Such a budget never allows an eviction of the VM's pod:
// KubeVirt or Cluster API removes the VM.
func (b *Budget) OfVM() bool {
	return slices.ContainsFunc(b.Metadata.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == kubevirtv1.VirtualMachineInstanceGroupVersionKind.Kind
	})
}

// Current reports whether the status is up to date with the spec.
func (b *Budget) Current() bool { return b.Status.ObservedGeneration == b.Metadata.Generation }

// Says describes the status: "it allows no disruption (1 of 1 pods healthy, 1 wanted)".
func (b *Budget) Says() string {
	allowed := "no disruption"
	switch b.Status.DisruptionsAllowed {
	case 0:
	case 1:
		allowed = "1 disruption"
	default:
		allowed = fmt.Sprintf("%d disruptions", b.Status.DisruptionsAllowed)
	}
	return fmt.Sprintf("it allows %s (%d of %d pods healthy, %d wanted)", allowed, b.Status.CurrentHealthy,
		b.Status.ExpectedPods, b.Status.DesiredHealthy)
}

// Selects reports whether the budget applies to a pod with these labels. A selector that cannot be parsed selects all
// pods of the namespace.
func (b *Budget) Selects(namespace string, pod map[string]string) bool {
	if namespace != b.Metadata.Namespace {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	return err != nil || selector.Matches(labels.Set(pod))
}
