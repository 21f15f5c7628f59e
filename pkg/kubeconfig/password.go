package kubeconfig

import (
	"context"
	"fmt"
	"strings"

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

// passwordKey is the key in the Secret.
const passwordKey = "password"

// PasswordUser is the user of the password.
const PasswordUser = "kubeadmin"

// NoPasswordError means that a hosted cluster has no kubeadmin password, for good or for now.
type NoPasswordError struct {
	failure.Absence
	Namespace, Name string
	// Why is the reason.
	Why string
	// Next says what to do instead.
	Next hint.Text
}

// Error names the cluster and the reason.
func (e *NoPasswordError) Error() string {
	return fmt.Sprintf("hosted cluster %s/%s has no kubeadmin password: %s", e.Namespace, e.Name, e.Why)
}

// Hint returns Next.
func (e *NoPasswordError) Hint() hint.Text { return e.Next }

// Password returns the password of the user kubeadmin. It fails with *hostedcluster.NotInstalledError,
// *hostedcluster.NotFoundError, *NoPasswordError, *UnprintablePasswordError, or the error of the read.
func Password(ctx context.Context, r kube.Reader, namespace, name string) (*hyperv1.HostedCluster, string, error) {
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return nil, "", err
	}
	// Only the hosted OAuth server accepts passwords (HyperShift's HCPOAuthEnabled: all but type OIDC).
	if auth := authentication(hc); auth != nil && auth.Type == configv1.AuthenticationTypeOIDC {
		return nil, "", &NoPasswordError{
			Namespace: namespace, Name: name,
			Why: "it is configured for an external OIDC provider (spec.configuration.authentication.type OIDC), so it has no " +
				"OAuth server to log in to",
			Next: hint.New("log in through that provider, or as its administrator: %s",
				hint.Run("kubeconfig", name).Flag("namespace", namespace)),
		}
	}
	if hc.Status.KubeadminPassword == nil || hc.Status.KubeadminPassword.Name == "" {
		return nil, "", notPublished(hc)
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: hc.Status.KubeadminPassword.Name}
	if err := r.Get(ctx, key, secret); apierrors.IsNotFound(err) {
		return nil, "", &NoPasswordError{
			Namespace: namespace, Name: name, Why: fmt.Sprintf("the Secret %s that should hold it is gone; it may have been "+
				"removed once there were other users", key),
			Next: hint.New("log in as another user, or as its administrator: %s",
				hint.Run("kubeconfig", name).Flag("namespace", namespace)),
		}
	} else if err != nil {
		return nil, "", fmt.Errorf("read Secret %s: %w", key, err)
	}
	password := string(secret.Data[passwordKey])
	if password == "" {
		//nolint:staticcheck // a kind's name
		return nil, "", fmt.Errorf("Secret %s has nothing under the key %q", key, passwordKey)
	}
	if !sanitize.Visible(password) {
		return nil, "", &UnprintablePasswordError{Secret: key.String()}
	}
	return hc, password, nil
}

// UnprintablePasswordError means that a password has white space, or characters that a terminal interprets or does not
// show. The operator's passwords never do.
type UnprintablePasswordError struct {
	// Secret holds the password, as namespace/name.
	Secret string
}

// Error names the Secret.
func (e *UnprintablePasswordError) Error() string {
	return "Secret " + e.Secret + ": the password in it is not printed: it has control characters, others that do not " +
		"show, " +
		"or white space"
}

// Hint says how to find the writer.
func (e *UnprintablePasswordError) Hint() hint.Text {
	namespace, name, _ := strings.Cut(e.Secret, "/")
	return hint.New("HyperShift writes letters, digits and hyphens: find out what changed it (oc get secret %s -n "+
		"%s -o yaml shows it in base64)", sanitize.Word(name), sanitize.Word(namespace))
}

func authentication(hc *hyperv1.HostedCluster) *configv1.AuthenticationSpec {
	if hc.Spec.Configuration == nil {
		return nil
	}
	return hc.Spec.Configuration.Authentication
}

// notPublished returns the error for a cluster that is not ready yet.
func notPublished(hc *hyperv1.HostedCluster) error {
	e := &NoPasswordError{Namespace: hc.Namespace, Name: hc.Name, Why: "the operator has not published it yet"}
	if f := follow.Available(hc); f.Message != "" {
		e.Why += " (" + f.Message + ")"
	}
	e.Next = hint.New("%s until the API answers",
		hint.Run("kubeconfig", hc.Name).Flag("namespace", hc.Namespace).Flag("wait", "waits"))
	return e
}
