package kubeconfig

import (
	"context"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
)

// passwordKey is the key of the password in its Secret.
const passwordKey = "password"

// PasswordUser is whose password it is.
const PasswordUser = "kubeadmin"

// NoPasswordError means a hosted cluster has no kubeadmin password, for good or not yet.
type NoPasswordError struct {
	Namespace, Name string
	// Why there is none.
	Why string
	// Next is what to do instead.
	Next string
}

// Error names the cluster and says why.
func (e *NoPasswordError) Error() string {
	return fmt.Sprintf("hosted cluster %s/%s has no kubeadmin password: %s", e.Namespace, e.Name, e.Why)
}

// Hint is the way in that there is.
func (e *NoPasswordError) Hint() string { return e.Next }

// ExitCode is 3: what was asked for is not there.
func (*NoPasswordError) ExitCode() int { return 3 }

// Password returns the password of the user kubeadmin of a hosted cluster. It fails with
// *hostedcluster.NotInstalledError, *hostedcluster.NotFoundError, *NoPasswordError, or the error of the read.
func Password(ctx context.Context, c *kube.Client, namespace, name string) (*hyperv1.HostedCluster, string, error) {
	hc, err := hostedcluster.Find(ctx, c, namespace, name)
	if err != nil {
		return nil, "", err
	}
	// Without the hosted OAuth server nobody can log in with a password (HyperShift's HCPOAuthEnabled: all but type OIDC).
	if auth := authentication(hc); auth != nil && auth.Type == configv1.AuthenticationTypeOIDC {
		return nil, "", &NoPasswordError{
			Namespace: namespace, Name: name,
			Why: "it is configured for an external OIDC provider (spec.configuration.authentication.type OIDC), so it has no " +
				"OAuth server to log in to",
			Next: fmt.Sprintf("log in through that provider, or as its administrator: hcctl kubeconfig %s --namespace %s", name,
				namespace),
		}
	}
	if hc.Status.KubeadminPassword == nil || hc.Status.KubeadminPassword.Name == "" {
		return nil, "", notYet(hc)
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: hc.Status.KubeadminPassword.Name}
	if err := c.Get(ctx, key, secret); apierrors.IsNotFound(err) {
		return nil, "", &NoPasswordError{
			Namespace: namespace, Name: name, Why: fmt.Sprintf("the Secret %s that should hold it is gone; somebody may have "+
				"removed it once there were other users", key),
			Next: fmt.Sprintf("log in as another user, or as its administrator: hcctl kubeconfig %s --namespace %s", name,
				namespace),
		}
	} else if err != nil {
		return nil, "", fmt.Errorf("read Secret %s: %w", key, err)
	}
	password := string(secret.Data[passwordKey])
	if password == "" {
		return nil, "", fmt.Errorf("Secret %s has nothing under the key %q", key,
			passwordKey) //nolint:staticcheck // a kind's name
	}
	if !sanitize.Visible(password) {
		return nil, "", &UnfitPasswordError{Secret: key.String()}
	}
	return hc, password, nil
}

// UnfitPasswordError means that a password has characters that a terminal obeys or does not show, or white space. The
// operator's never do.
type UnfitPasswordError struct {
	// Secret is the one that holds it, as namespace/name.
	Secret string
}

// Error says where it is.
func (e *UnfitPasswordError) Error() string {
	return "Secret " + e.Secret + ": the password in it is not printed: it has control characters, others that do not " +
		"show, " +
		"or white space"
}

// Hint is where to look.
func (e *UnfitPasswordError) Hint() string {
	namespace, name, _ := strings.Cut(e.Secret, "/")
	return "HyperShift writes letters, digits and hyphens: find out who changed it (oc get secret " + sanitize.Word(name) +
		" -n " + sanitize.Word(namespace) + " -o yaml shows it in base64)"
}

func authentication(hc *hyperv1.HostedCluster) *configv1.AuthenticationSpec {
	if hc.Spec.Configuration == nil {
		return nil
	}
	return hc.Spec.Configuration.Authentication
}

// notYet says how far the cluster is.
func notYet(hc *hyperv1.HostedCluster) error {
	e := &NoPasswordError{Namespace: hc.Namespace, Name: hc.Name, Why: "the operator has not published it yet"}
	if f := follow.Available(hc); f.Message != "" {
		e.Why += " (" + f.Message + ")"
	}
	e.Next = fmt.Sprintf("hcctl kubeconfig %s --namespace %s --wait waits until the API answers", hc.Name, hc.Namespace)
	return e
}
