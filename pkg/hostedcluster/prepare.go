package hostedcluster

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// KubeconfigKey is the key of the admin kubeconfig in its Secret.
const KubeconfigKey = "kubeconfig"

// Plan is one create with everything resolved.
type Plan struct {
	Options Options
	Inputs  Inputs
	client  *kube.Client
	// answers asks the API server of a kubeconfig whether it is ready.
	answers func(ctx context.Context, kubeconfig []byte) error
}

// Prepare validates the options and resolves what they leave open, reading only. What an earlier, unfinished create has
// decided stays: the infraID and the release image of an existing HostedCluster or of the Secrets made for one.
//
// It fails with *FlagError, *NotInstalledError, *NoReleaseError, or the error of a read.
func Prepare(ctx context.Context, c *kube.Client, o Options) (*Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	hc := &hyperv1.HostedCluster{}
	err := c.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Name}, hc)
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotInstalledError{}
	case apierrors.IsNotFound(err):
		hc = nil
	case err != nil:
		return nil, fmt.Errorf("HostedCluster %s/%s: %w", o.Namespace, o.Name, err)
	case hc.DeletionTimestamp != nil:
		return nil, fmt.Errorf("HostedCluster %s/%s is being deleted since %s: wait until it is gone (hcctl delete cluster %s says what it waits for), then create it",
			o.Namespace, o.Name, hc.DeletionTimestamp.UTC().Format(time.RFC3339), o.Name)
	}
	p := &Plan{Options: o, client: c, answers: answers}
	p.Inputs.EncryptionKey = newEncryptionKey()
	if err = p.identify(ctx, hc); err != nil {
		return nil, err
	}
	if hc != nil {
		p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom = hc.Spec.Release.Image, "the existing HostedCluster"
		return p, p.readPullSecret(ctx)
	}
	release, err := ResolveRelease(ctx, c, o.ReleaseImage)
	if err != nil {
		return nil, err
	}
	p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom = release.Image, release.From
	return p, p.readPullSecret(ctx)
}

// identify settles the infraID.
func (p *Plan) identify(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if hc != nil && hc.Spec.InfraID != "" {
		p.Inputs.InfraID = hc.Spec.InfraID
		return nil
	}
	for _, name := range []string{encryptionKeyName(p.Options.Name), pullSecretName(p.Options.Name)} {
		secret, err := p.secret(ctx, p.Options.Namespace, name)
		if err != nil {
			return err
		}
		if secret != nil && secret.Labels[kube.ManagedByLabel] == kube.FieldOwner && secret.Labels[infraLabel] != "" {
			p.Inputs.InfraID = secret.Labels[infraLabel]
			return nil
		}
	}
	p.Inputs.InfraID = newInfraID(p.Options.Name)
	return nil
}

// readPullSecret takes the one given, else the one the cluster has already, else that of the management cluster.
func (p *Plan) readPullSecret(ctx context.Context) error {
	if len(p.Options.PullSecret) > 0 {
		p.Inputs.PullSecret = p.Options.PullSecret
		return nil
	}
	own, err := p.secret(ctx, p.Options.Namespace, pullSecretName(p.Options.Name))
	if err != nil {
		return err
	}
	if own != nil {
		p.Inputs.PullSecret = own.Data[corev1.DockerConfigJsonKey]
		return nil
	}
	global, err := p.secret(ctx, "openshift-config", "pull-secret")
	if err != nil {
		return err
	}
	if global == nil || len(global.Data[corev1.DockerConfigJsonKey]) == 0 {
		return flagError("pull-secret", "", "needed here: the management cluster has none of its own to take (Secret openshift-config/pull-secret, key %s)", corev1.DockerConfigJsonKey)
	}
	p.Inputs.PullSecret = global.Data[corev1.DockerConfigJsonKey]
	return nil
}

// secret returns nil if it does not exist.
func (p *Plan) secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	err := p.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s/%s: %w", namespace, name, err)
	}
	return s, nil
}
