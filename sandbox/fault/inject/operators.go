package inject

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// The faults of this file are those of simulated operators, which write them by themselves as soon as they look. In a
// world that came up without them, something has to make them look: a change of the resource they work on.

// noticedBy has an operator look at o, in a world where o is, and returns once show says so.
func (s *injector) noticedBy(ctx context.Context, o *unstructured.Unstructured, what string,
	show func(context.Context) (bool, error)) error {
	if !s.Profile.Provisioned() {
		return nil
	}
	if err := s.patch(ctx, o, `{"metadata":{"annotations":{"sandbox.hcctl.dev/fault":"on"}}}`); err != nil {
		return err
	}
	return until(ctx, what, show)
}

func (s *injector) storageClusterError(ctx context.Context) error {
	o := object("ocs.openshift.io/v1", "StorageCluster", "openshift-storage", "ocs-storagecluster")
	return s.noticedBy(ctx, o, "the StorageCluster's error", s.is(o, "Degraded", "True"))
}

func (s *injector) hcoDegraded(ctx context.Context) error {
	o := hyperConverged()
	return s.noticedBy(ctx, o, "HyperConverged to be Degraded", s.is(o, "Degraded", "True"))
}

func (s *injector) componentStuck(ctx context.Context) error {
	o := object("multicluster.openshift.io/v1", "MultiClusterEngine", "", "multiclusterengine")
	return s.noticedBy(ctx, o, "the engine to be not Available", s.is(o, "Available", "False"))
}

func (s *injector) addonDegraded(ctx context.Context) error {
	local := "local-cluster"
	if s.Faults.Has(fault.RenamedLocalCluster) {
		local = renamedTo
	}
	o := object("addon.open-cluster-management.io/v1alpha1", "ManagedClusterAddOn", local, "hypershift-addon")
	return s.noticedBy(ctx, o, "the addon to be Degraded", s.is(o, "Degraded", "True"))
}

func (s *injector) noKVM(ctx context.Context) error {
	return s.noticedBy(ctx, hyperConverged(), "nodes without KVM", func(ctx context.Context) (bool, error) {
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

// is asks for a condition of an object.
func (s *injector) is(o *unstructured.Unstructured, kind, want string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		got, _, err := s.condition(ctx, o, kind)
		return got == want, err
	}
}

func hyperConverged() *unstructured.Unstructured {
	return object("hco.kubevirt.io/v1beta1", "HyperConverged", "openshift-cnv", "kubevirt-hyperconverged")
}
