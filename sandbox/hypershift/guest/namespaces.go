package guest

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/kubernetes/pkg/controller/namespace/deletion"
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

// FinishNamespaces empties the deleted namespaces of a guest, with the code of Kubernetes' own namespace controller,
// which runs in no guest. What finalizers hold stays for the next call, and pods end at once.
func FinishNamespaces(ctx context.Context, state State) error {
	list := &corev1.NamespaceList{}
	if err := state.Client.List(ctx, list); err != nil {
		return fmt.Errorf("list the namespaces of a guest: %w", err)
	}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			continue
		}
		if err := finishNamespace(ctx, state, list.Items[i].Name); err != nil {
			return fmt.Errorf("empty namespace %s of a guest: %w", list.Items[i].Name, err)
		}
	}
	return nil
}

func finishNamespace(ctx context.Context, state State, name string) error {
	kube, err := kubernetes.NewForConfig(state.Handle.Config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(state.Handle.Config)
	if err != nil {
		return err
	}
	err = state.Client.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(name), client.GracePeriodSeconds(0))
	if err != nil {
		return err
	}
	err = deletion.NewNamespacedResourcesDeleter(ctx, kube.CoreV1().Namespaces(), objects, kube.CoreV1(),
		kube.Discovery().ServerPreferredNamespacedResources, corev1.FinalizerKubernetes).Delete(ctx, name)
	var remaining *deletion.ResourcesRemainingError
	if errors.As(err, &remaining) {
		return nil
	}
	return err
}
