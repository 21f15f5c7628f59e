package hostedcluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	// exists tells that the HostedCluster is there already.
	exists bool
	// Adjust says which pools that are there already are adjusted, by their place in Options.NodePools. Others are left as they are.
	Adjust map[int]Adjust
	client *kube.Client
}

// Prepare validates the options and resolves what they leave open, reading only: what it sends are dry runs. What an earlier, unfinished create has
// decided stays: the infraID and the release image of an existing HostedCluster or of the Secrets made for one.
//
// It fails with *FlagError, *NotInstalledError, *NoReleaseError, *UnknownFieldsError, or the error of a read.
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
			o.Namespace, o.Name, hc.DeletionTimestamp.UTC().Format(time.RFC3339), Argument(o.Namespace, o.Name))
	}
	p := &Plan{Options: o, client: c}
	p.Inputs.EncryptionKey = newEncryptionKey()
	if err = p.identify(ctx, hc); err != nil {
		return nil, err
	}
	if err = p.locate(ctx, hc); err != nil {
		return nil, err
	}
	if o.GenerateSSH {
		if p.Inputs.SSHKey, err = newSSHKey(); err != nil {
			return nil, err
		}
	}
	if hc != nil {
		p.exists = true
		p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom = hc.Spec.Release.Image, "the existing HostedCluster"
		p.Inputs.ReleaseVersion = orDefault(releaseVersion(hc), taggedVersion(hc.Spec.Release.Image))
		return p, p.readPullSecret(ctx)
	}
	release, err := ResolveRelease(ctx, c, o.release())
	if err != nil {
		return nil, err
	}
	p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom, p.Inputs.ReleaseVersion = release.Image, release.From, release.Version
	if err := p.readPullSecret(ctx); err != nil {
		return nil, err
	}
	return p, p.tryOut(ctx)
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
		if secret != nil && secret.Labels[kube.ManagedByLabel] == kube.FieldOwner && secret.Labels[InfraLabel] != "" {
			p.Inputs.InfraID = secret.Labels[InfraLabel]
			return nil
		}
	}
	p.Inputs.InfraID = orDefault(p.Options.InfraID, newInfraID(p.Options.Name))
	return nil
}

// locate finds the address for node ports, where one is needed and none is given: that of the first node by name which has one, as the
// vendor's CLI does, its external name before its external address before its internal one. What an existing HostedCluster has, stays.
func (p *Plan) locate(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if !p.Options.needsNodeAddress() {
		return nil
	}
	if hc != nil {
		for _, m := range hc.Spec.Services {
			if m.NodePort != nil {
				p.Inputs.NodeAddress = m.NodePort.Address
				return nil
			}
		}
	}
	nodes := &corev1.NodeList{}
	if err := p.client.List(ctx, nodes); err != nil {
		return fmt.Errorf("look for the address of a node: %w", err)
	}
	slices.SortFunc(nodes.Items, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	for _, kind := range []corev1.NodeAddressType{corev1.NodeExternalDNS, corev1.NodeExternalIP, corev1.NodeInternalIP} {
		for _, node := range nodes.Items {
			for _, a := range node.Status.Addresses {
				if a.Type == kind && a.Address != "" {
					p.Inputs.NodeAddress = a.Address
					return nil
				}
			}
		}
	}
	return flagError("api-server-address", "", "needed here: no node of the management cluster has an address")
}

// readPullSecret takes the one given, else the one the cluster has already, else that of the management cluster.
func (p *Plan) readPullSecret(ctx context.Context) error {
	if len(p.Options.PullSecret.Content) > 0 {
		p.Inputs.PullSecret = p.Options.PullSecret.Content
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
