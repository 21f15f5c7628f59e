package guest

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// EnsureNamespaces creates the namespaces that users of a guest expect. They contain no operators.
func EnsureNamespaces(ctx context.Context, c client.Client) error {
	last := namespaces[len(namespaces)-1]
	err := c.Get(ctx, client.ObjectKey{Name: last}, &corev1.Namespace{})
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("get namespace %s of the guest: %w", last, err)
	}
	for _, name := range namespaces {
		err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create namespace %s in the guest: %w", name, err)
		}
	}
	return nil
}

var namespaces = []string{
	"openshift", "openshift-config", "openshift-config-managed", "openshift-console", "openshift-dns",
	"openshift-image-registry", "openshift-ingress", "openshift-ingress-operator", "openshift-machine-config-operator",
	"openshift-monitoring", "openshift-multus", "openshift-network-operator", "openshift-operators",
	"openshift-ovn-kubernetes", "openshift-service-ca",
}
