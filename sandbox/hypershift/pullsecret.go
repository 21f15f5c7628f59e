package hypershift

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Recorded.
func msgPullSecretMissing(name string) string {
	return fmt.Sprintf("pull secret unavailable: Secret %q not found", name)
}

// Source.
func msgPullSecretKey(name string) string {
	return fmt.Sprintf("pull secret unavailable: expected %s key in secret %q", pullSecretKey, name)
}

// errPullSecret is the reason SecretNotFound.
type errPullSecret struct{ message string }

func (e *errPullSecret) Error() string { return e.message }

// checkPullSecret says what the pull secret of a HostedCluster lacks.
func checkPullSecret(ctx context.Context, c client.Client, hc *hyperv1.HostedCluster) error {
	secret := &corev1.Secret{}
	err := c.Get(ctx, types.NamespacedName{Namespace: hc.Namespace, Name: hc.Spec.PullSecret.Name}, secret)
	if apierrors.IsNotFound(err) {
		return &errPullSecret{msgPullSecretMissing(hc.Spec.PullSecret.Name)}
	}
	if err != nil {
		return fmt.Errorf("get pull secret %s/%s: %w", hc.Namespace, hc.Spec.PullSecret.Name, err)
	}
	if _, ok := secret.Data[pullSecretKey]; !ok {
		return &errPullSecret{msgPullSecretKey(hc.Spec.PullSecret.Name)}
	}
	return nil
}
