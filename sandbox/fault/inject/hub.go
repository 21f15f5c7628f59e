package inject

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

const renamedTo = "hub"

// poolEmpty shrinks the pool and creates Services that use all of it.
func (s *injector) poolEmpty(ctx context.Context) error {
	if err := s.apply(ctx, fault.PoolEmpty); err != nil {
		return err
	}
	return waitFor(ctx, "MetalLB to hand out the addresses", func(ctx context.Context) (bool, error) {
		services := &corev1.ServiceList{}
		if err := s.Client.List(ctx, services, client.InNamespace("tenants")); err != nil {
			return false, err
		}
		for i := range services.Items {
			if len(services.Items[i].Status.LoadBalancer.Ingress) == 0 {
				return false, nil
			}
		}
		return len(services.Items) > 0, nil
	})
}

// renamedLocalCluster renames the local cluster in the only possible way: disable self-management, set the name, enable
// self-management.
func (s *injector) renamedLocalCluster(ctx context.Context) error {
	engine := object("multicluster.openshift.io/v1", "MultiClusterEngine", "", "multiclusterengine")
	if err := s.selfManaged(ctx, engine, false); err != nil {
		return err
	}
	for _, left := range []*unstructured.Unstructured{
		object("cluster.open-cluster-management.io/v1", "ManagedCluster", "", "local-cluster"), object("v1", "Namespace", "",
			"local-cluster"),
	} {
		err := waitFor(ctx, left.GetKind()+" local-cluster to go", func(ctx context.Context) (bool, error) {
			err := s.Client.Get(ctx, client.ObjectKeyFromObject(left), left)
			return errors.IsNotFound(err), client.IgnoreNotFound(err)
		})
		if err != nil {
			return err
		}
	}
	if err := s.patch(ctx, engine, fmt.Sprintf(`{"spec":{"localClusterName":%q}}`, renamedTo)); err != nil {
		return err
	}
	if err := s.selfManaged(ctx, engine, true); err != nil {
		return err
	}
	for _, want := range []struct {
		object *unstructured.Unstructured
		kind   string
	}{
		{object("cluster.open-cluster-management.io/v1", "ManagedCluster", "", renamedTo),
			"ManagedClusterConditionAvailable"},
		{object("addon.open-cluster-management.io/v1alpha1", "ManagedClusterAddOn", renamedTo, "hypershift-addon"),
			"Available"},
		{engine, "Available"},
	} {
		if want.object == engine && s.Faults.Has(fault.ComponentStuck) {
			continue
		}
		if err := waitFor(ctx, want.object.GetKind()+" "+renamedTo,
			s.conditionIs(want.object, want.kind, "True")); err != nil {
			return err
		}
	}
	return nil
}

// selfManaged turns the component local-cluster on or off and leaves the others unchanged.
func (s *injector) selfManaged(ctx context.Context, engine *unstructured.Unstructured, on bool) error {
	return waitFor(ctx, "MultiClusterEngine to be changed", func(ctx context.Context) (bool, error) {
		if err := s.Client.Get(ctx, client.ObjectKeyFromObject(engine), engine); err != nil {
			return false, err
		}
		components, _, err := unstructured.NestedSlice(engine.Object, "spec", "overrides", "components")
		if err != nil {
			return false, err
		}
		for _, c := range components {
			if m, ok := c.(map[string]any); ok && m["name"] == "local-cluster" {
				m["enabled"] = on
			}
		}
		if err := unstructured.SetNestedSlice(engine.Object, components, "spec", "overrides", "components"); err != nil {
			return false, err
		}
		return true, s.Client.Update(ctx, engine, fieldManager)
	})
}
