package inject

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// Simulated operators show the faults of this file when they reconcile. In a provisioned cluster a change of their
// resource must trigger that.

// triggerReconcile changes o in a provisioned cluster, and returns once the condition show is true.
func (s *injector) triggerReconcile(ctx context.Context, o *unstructured.Unstructured, what string,
	show func(context.Context) (bool, error)) error {
	if !s.Profile.Provisioned() {
		return nil
	}
	if err := s.patch(ctx, o, `{"metadata":{"annotations":{"sandbox.hcctl.dev/fault":"on"}}}`); err != nil {
		return err
	}
	return waitFor(ctx, what, show)
}

func (s *injector) storageClusterError(ctx context.Context) error {
	o := object("ocs.openshift.io/v1", "StorageCluster", "openshift-storage", "ocs-storagecluster")
	return s.triggerReconcile(ctx, o, "the StorageCluster's error", s.conditionIs(o, "ReconcileComplete", "False"))
}

func (s *injector) hcoDegraded(ctx context.Context) error {
	o := hyperConverged()
	return s.triggerReconcile(ctx, o, "HyperConverged to be Degraded", s.conditionIs(o, "Degraded", "True"))
}

func (s *injector) componentStuck(ctx context.Context) error {
	o := object("multicluster.openshift.io/v1", "MultiClusterEngine", "", "multiclusterengine")
	return s.triggerReconcile(ctx, o, "the engine to be not Available", s.conditionIs(o, "Available", "False"))
}

func (s *injector) addonDegraded(ctx context.Context) error {
	local := "local-cluster"
	if s.Faults.Has(fault.RenamedLocalCluster) {
		local = renamedTo
	}
	o := object("addon.open-cluster-management.io/v1alpha1", "ManagedClusterAddOn", local, "hypershift-addon")
	return s.triggerReconcile(ctx, o, "the addon to be Degraded", s.conditionIs(o, "Degraded", "True"))
}

func (s *injector) noKVM(ctx context.Context) error {
	return s.triggerReconcile(ctx, hyperConverged(), "nodes without KVM", func(ctx context.Context) (bool, error) {
		nodes := &corev1.NodeList{}
		if err := s.Client.List(ctx, nodes, client.MatchingLabels{"kubevirt.io/schedulable": "true"}); err != nil {
			return false, err
		}
		for i := range nodes.Items {
			if kvm := nodes.Items[i].Status.Allocatable["devices.kubevirt.io/kvm"]; !kvm.IsZero() {
				return false, nil
			}
		}
		return true, nil
	})
}

// conditionIs returns a function that reports whether a condition of an object has the status want.
func (s *injector) conditionIs(o *unstructured.Unstructured, kind, want string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		got, _, err := s.condition(ctx, o, kind)
		return got == want, err
	}
}

func hyperConverged() *unstructured.Unstructured {
	return object("hco.kubevirt.io/v1beta1", "HyperConverged", "openshift-cnv", "kubevirt-hyperconverged")
}
