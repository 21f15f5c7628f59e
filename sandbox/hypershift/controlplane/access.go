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
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// ensureAccess writes the admin kubeconfig to the control plane's namespace, once the API server's Deployment exists.
func (r *controlPlanes) ensureAccess(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *observation) error {
	key := types.NamespacedName{Namespace: hcp.Namespace, Name: metadata.AdminKubeconfigSecret}
	secret := &corev1.Secret{}
	err := r.Client.Get(ctx, key, secret)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get Secret %s: %w", key, err)
	}
	exists := err == nil
	v.kubeconfig, v.password = exists, exists || v.password
	if !v.infra.ready() || v.kas.Reason == hyperv1.NotFoundReason {
		return nil
	}
	want, err := r.Guests.Kubeconfig(hcp.Namespace, v.infra.api)
	if err != nil {
		return err
	}
	v.kubeconfig = true
	if exists && bytes.Equal(secret.Data[metadata.KubeconfigKey], want) {
		return nil
	}
	secret.Namespace, secret.Name = key.Namespace, key.Name
	secret.Data = map[string][]byte{metadata.KubeconfigKey: want}
	metadata.Add(&secret.Labels, map[string]string{"hypershift.openshift.io/kubeconfig": "external"})
	if err := controllerutil.SetControllerReference(hcp, secret, r.Scheme); err != nil {
		return fmt.Errorf("own Secret %s: %w", key, err)
	}
	if exists {
		err = r.Client.Update(ctx, secret)
	} else {
		err = r.Client.Create(ctx, secret)
	}
	if err != nil {
		return fmt.Errorf("write Secret %s: %w", key, err)
	}
	return nil
}

// ensurePassword creates the kubeadmin password: four groups of five characters.
func (r *controlPlanes) ensurePassword(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	password := fmt.Sprintf("%s-%s-%s-%s", utilrand.String(5), utilrand.String(5), utilrand.String(5), utilrand.String(5))
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: hcp.Namespace, Name: metadata.KubeadminSecret},
		Data:       map[string][]byte{"password": []byte(password)},
	}
	if err := controllerutil.SetControllerReference(hcp, s, r.Scheme); err != nil {
		return fmt.Errorf("own Secret %s/%s: %w", hcp.Namespace, metadata.KubeadminSecret, err)
	}
	if err := r.Client.Create(ctx, s); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Secret %s/%s: %w", hcp.Namespace, metadata.KubeadminSecret, err)
	}
	return nil
}
