package reconciler

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// Recorded.
func msgPullSecretMissing(name string) string {
	return fmt.Sprintf("pull secret unavailable: Secret %q not found", name)
}

// Source.
func msgPullSecretKey(name string) string {
	return fmt.Sprintf("pull secret unavailable: expected %s key in secret %q", metadata.PullSecretKey, name)
}

// PullSecretError has the reason SecretNotFound.
type PullSecretError struct{ message string }

func (e *PullSecretError) Error() string { return e.message }

// CheckPullSecret returns an error if the pull secret of a HostedCluster is missing or incomplete.
func CheckPullSecret(ctx context.Context, c client.Client, hc *hyperv1.HostedCluster) error {
	secret := &corev1.Secret{}
	err := c.Get(ctx, types.NamespacedName{Namespace: hc.Namespace, Name: hc.Spec.PullSecret.Name}, secret)
	if apierrors.IsNotFound(err) {
		return &PullSecretError{msgPullSecretMissing(hc.Spec.PullSecret.Name)}
	}
	if err != nil {
		return fmt.Errorf("get pull secret %s/%s: %w", hc.Namespace, hc.Spec.PullSecret.Name, err)
	}
	if _, ok := secret.Data[metadata.PullSecretKey]; !ok {
		return &PullSecretError{msgPullSecretKey(hc.Spec.PullSecret.Name)}
	}
	return nil
}
