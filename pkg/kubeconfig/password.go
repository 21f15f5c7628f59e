package kubeconfig

import (
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// passwordKey is the key of the password in the Secret.
const passwordKey = "password"

// PasswordUser is the user name for the password.
const PasswordUser = "kubeadmin"

// noPassword returns the error for a hosted cluster without a kubeadmin password, permanently or for now.
func noPassword(hc *hyperv1.HostedCluster, next hint.Text, why string, args ...any) error {
	return failure.New(failure.Missing, next, "hosted cluster %s/%s has no kubeadmin password: %s", hc.Namespace, hc.Name,
		fmt.Sprintf(why, args...))
}

// Password returns the password of the user kubeadmin. It returns *hostedcluster.NotInstalledError,
// *hostedcluster.NotFoundError, the error of the read, or an error with the reason why there is no password to print.
func Password(ctx context.Context, r kube.Reader, namespace, name string) (*hyperv1.HostedCluster, string, error) {
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return nil, "", err
	}
	enter := hint.Run("kubeconfig", name).Flag("namespace", namespace)
	// Only the hosted OAuth server accepts passwords (HyperShift's HCPOAuthEnabled: all but type OIDC).
	if auth := authentication(hc); auth != nil && auth.Type == configv1.AuthenticationTypeOIDC {
		return nil, "", noPassword(hc, hint.New("log in through that provider, or as its administrator: %s", enter),
			"it is configured for an external OIDC provider (spec.configuration.authentication.type OIDC), so it has no "+
				"OAuth server to log in to")
	}
	if hc.Status.KubeadminPassword == nil || hc.Status.KubeadminPassword.Name == "" {
		return nil, "", notPublished(hc)
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: hc.Status.KubeadminPassword.Name}
	if err := r.Get(ctx, key, secret); apierrors.IsNotFound(err) {
		return nil, "", noPassword(hc, hint.New("log in as another user, or as its administrator: %s", enter),
			"the Secret %s that should hold it is gone; it may have been removed once there were other users", key)
	} else if err != nil {
		return nil, "", fmt.Errorf("read Secret %s: %w", key, err)
	}
	password := string(secret.Data[passwordKey])
	if password == "" {
		//nolint:staticcheck // a kind's name
		return nil, "", fmt.Errorf("Secret %s has nothing under the key %q", key, passwordKey)
	}
	if !sanitize.Visible(password) {
		return nil, "", unprintable(key)
	}
	return hc, password, nil
}

// unprintable returns the error for a password with white space, or with characters that a terminal interprets or does
// not show. The operator never generates such a password.
func unprintable(secret client.ObjectKey) error {
	return failure.New(failure.Other, hint.New("HyperShift writes letters, digits and hyphens: find out what changed it "+
		"(oc get secret %s -n %s -o yaml shows it in base64)", sanitize.Word(secret.Name), sanitize.Word(secret.Namespace)),
		"Secret %s: the password in it is not printed: it has control characters, others that do not show, or white space",
		secret)
}

func authentication(hc *hyperv1.HostedCluster) *configv1.AuthenticationSpec {
	if hc.Spec.Configuration == nil {
		return nil
	}
	return hc.Spec.Configuration.Authentication
}

// notPublished returns the error for a cluster that is not ready yet.
func notPublished(hc *hyperv1.HostedCluster) error {
	why := ""
	if f := follow.Available(hc); f.Message != "" {
		why = " (" + f.Message + ")"
	}
	return noPassword(hc, hint.New("%s until the API answers",
		hint.Run("kubeconfig", hc.Name).Flag("namespace", hc.Namespace).Flag("wait", "waits")),
		"the operator has not published it yet%s", why)
}
