package deletion

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// CompanionSecrets returns the names of the Secrets that create writes for a HostedCluster. Roles for single clusters
// contain them.
func CompanionSecrets(name string) []string {
	return []string{
		hostedcluster.PullSecretName(name),
		hostedcluster.EncryptionKeyName(name),
		hostedcluster.SSHKeyName(name),
		hostedcluster.AuditWebhookName(name),
		hostedcluster.InfraCredentialsName(name),
	}
}

// secrets lists the Secrets of the namespace. If the user may not list them, it reads the Secrets of create by name.
func (d *Plan) secrets(ctx context.Context, r kube.Reader) ([]corev1.Secret, error) {
	if !d.secretsByName.Load() {
		var l corev1.SecretList
		err := r.List(ctx, &l, client.InNamespace(d.Namespace))
		if !apierrors.IsForbidden(err) {
			return l.Items, err
		}
	}
	var found []corev1.Secret
	for _, name := range CompanionSecrets(d.Name) {
		secret := corev1.Secret{}
		err := r.Get(ctx, client.ObjectKey{Namespace: d.Namespace, Name: name}, &secret)
		switch {
		case err == nil:
			found = append(found, secret)
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	d.secretsByName.Store(true)
	return found, nil
}
