package controlplane

import (
	"bytes"
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// keyPairSecrets are the certificate Secrets of a control plane that other objects refer to; the real one has some
// sixty more. All share one key pair, because no simulated component uses it.
var keyPairSecrets = []string{
	"root-ca", "cluster-signer-ca", "ignition-server-ca-cert", "ignition-server-serving-cert", "kas-server-crt",
	"etcd-client-tls",
}

// ensureSecrets creates the certificate Secrets once.
func (r *controlPlanes) ensureSecrets(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: hcp.Namespace, Name: keyPairSecrets[len(keyPairSecrets)-1]},
		&corev1.Secret{})
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("get the certificates of %s: %w", hcp.Namespace, err)
	}
	cert, key, err := guest.SelfSigned("root-ca")
	if err != nil {
		return err
	}
	for _, name := range keyPairSecrets {
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: hcp.Namespace, Name: name},
			Data:       map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": cert},
		}
		if err := r.Client.Create(ctx, s); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create Secret %s/%s: %w", hcp.Namespace, name, err)
		}
	}
	return nil
}

// ensureAccess writes the admin kubeconfig and the kubeadmin password to the control plane's namespace, once the API
// server exists or it is certain that none will start.
func (r *controlPlanes) ensureAccess(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *observation) error {
	key := types.NamespacedName{Namespace: hcp.Namespace, Name: metadata.AdminKubeconfigSecret}
	secret := &corev1.Secret{}
	err := r.Client.Get(ctx, key, secret)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get Secret %s: %w", key, err)
	}
	exists := err == nil
	v.kubeconfig, v.password = exists, exists
	var want []byte
	switch {
	case v.guest.Handle != nil:
		want = v.guest.Handle.Kubeconfig
	case v.guest.Health != nil:
		if want, err = guest.Kubeconfig(v.infra.apiHost, v.guest.Health.Cert, v.guest.Health.Key); err != nil {
			return err
		}
	case exists || !v.guest.InMemory() && v.guest.Phase != guest.Failed:
		return nil
	default:
		if want, err = guest.UnservedKubeconfig(v.infra.apiHost); err != nil {
			return err
		}
	}
	v.kubeconfig = true
	if exists && bytes.Equal(secret.Data[metadata.KubeconfigKey], want) {
		return nil
	}
	secret.Namespace, secret.Name = key.Namespace, key.Name
	secret.Data = map[string][]byte{metadata.KubeconfigKey: want}
	if exists {
		err = r.Client.Update(ctx, secret)
	} else {
		err = r.Client.Create(ctx, secret)
	}
	if err != nil {
		return fmt.Errorf("write Secret %s: %w", key, err)
	}
	v.password = true
	return r.ensurePassword(ctx, hcp.Namespace)
}

// ensurePassword creates the kubeadmin password: four groups of five characters.
func (r *controlPlanes) ensurePassword(ctx context.Context, namespace string) error {
	password := fmt.Sprintf("%s-%s-%s-%s", utilrand.String(5), utilrand.String(5), utilrand.String(5), utilrand.String(5))
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: metadata.KubeadminSecret},
		Data:       map[string][]byte{"password": []byte(password)},
	}
	if err := r.Client.Create(ctx, s); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Secret %s/%s: %w", namespace, metadata.KubeadminSecret, err)
	}
	return nil
}
