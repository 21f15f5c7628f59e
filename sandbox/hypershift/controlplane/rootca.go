package controlplane

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// rootCASecret has the authority of a control plane. The real operator makes it only where it is missing.
const rootCASecret = "root-ca"

// ensureRootCA keeps the key pair of a guest with an API server in Secret root-ca, and takes it from there: the sandbox
// has one key pair where the real operator has a dozen authorities. It does so once for each control plane.
func (r *controlPlanes) ensureRootCA(ctx context.Context, hcp *hyperv1.HostedControlPlane, at infra) error {
	if _, done := r.rooted.Load(hcp.UID); done || !r.Guests.Serves() {
		return nil
	}
	s := &corev1.Secret{}
	s.Namespace, s.Name = hcp.Namespace, rootCASecret
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(s), s)
	switch {
	case err == nil && r.Guests.Adopt(hcp.Namespace, at.api.Address, s.Data[corev1.TLSCertKey],
		s.Data[corev1.TLSPrivateKeyKey]):
		r.rooted.Store(hcp.UID, true)
		return nil
	case err != nil && !apierrors.IsNotFound(err):
		return fmt.Errorf("get Secret %s/%s: %w", hcp.Namespace, rootCASecret, err)
	}
	exists := err == nil
	cert, key, err := r.Guests.KeyPair(hcp.Namespace, at.api)
	if err != nil {
		return err
	}
	s.Data = map[string][]byte{corev1.TLSCertKey: cert, corev1.TLSPrivateKeyKey: key, "ca.crt": cert, "ca.key": key}
	if exists {
		err = r.Client.Update(ctx, s)
	} else if err = controllerutil.SetControllerReference(hcp, s, r.Scheme); err == nil {
		err = r.Client.Create(ctx, s)
	}
	if err != nil {
		return fmt.Errorf("write Secret %s/%s: %w", hcp.Namespace, rootCASecret, err)
	}
	r.rooted.Store(hcp.UID, true)
	return nil
}
