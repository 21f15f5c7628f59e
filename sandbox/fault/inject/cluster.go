package inject

import (
	"context"
	"fmt"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// deadAddress refuses connections: its port is tcpmux, which no machine uses.
const deadAddress = "127.0.0.1:1"

// catalogUnhealthy points OLM's redhat-operators at an address that refuses connections, until the fault heals.
func (s *injector) catalogUnhealthy(ctx context.Context) error {
	source := &operatorsv1alpha1.CatalogSource{ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-marketplace",
		Name: "redhat-operators"}}
	if err := s.Client.Get(ctx, client.ObjectKeyFromObject(source), source); err != nil {
		return err
	}
	right := source.Spec.Address
	if err := s.patch(ctx, source, fmt.Sprintf(`{"spec":{"address":%q}}`, deadAddress)); err != nil {
		return err
	}
	err := waitFor(ctx, "OLM to see that the catalog does not answer", func(ctx context.Context) (bool, error) {
		if err := s.Client.Get(ctx, client.ObjectKeyFromObject(source), source); err != nil {
			return false, err
		}
		state := source.Status.GRPCConnectionState
		return state != nil && state.Address == deadAddress && state.LastObservedState != "READY", nil
	})
	if err != nil {
		return err
	}
	s.undoAfter(fault.CatalogUnhealthy, func(ctx context.Context) error {
		return s.patch(ctx, source, fmt.Sprintf(`{"spec":{"address":%q}}`, right))
	})
	return nil
}

// namespaceTerminating deletes a namespace that has an object with a finalizer, and returns once the namespace
// controller reports the remaining object.
func (s *injector) namespaceTerminating(ctx context.Context) error {
	if err := s.apply(ctx, fault.NamespaceTerminating); err != nil {
		return err
	}
	namespace := object("v1", "Namespace", "", "metallb-system")
	if err := s.Client.Delete(ctx, namespace); err != nil {
		return err
	}
	return waitFor(ctx, "the namespace to be stuck", s.conditionIs(namespace, string(corev1.NamespaceFinalizersRemaining),
		"True"))
}
