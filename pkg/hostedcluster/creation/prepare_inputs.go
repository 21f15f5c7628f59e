package creation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// resolveRelease resolves the release image. An existing HostedCluster keeps its release.
func (p *Plan) resolveRelease(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) error {
	if hc != nil {
		p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom = hc.Spec.Release.Image, "the existing HostedCluster"
		p.Inputs.ReleaseVersion = cmp.Or(hostedcluster.ReleaseVersion(hc), release.TaggedVersion(hc.Spec.Release.Image))
		return p.checkIdentity()
	}
	found, err := release.Resolve(ctx, r, release.RequestFor(p.Options))
	p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom, p.Inputs.ReleaseVersion = found.Image, found.From, found.Version
	return errors.Join(err, p.checkIdentity(), p.checkServiceCIDR())
}

// checkServiceCIDR rejects a Service network that is too large for the API servers of the release: before Kubernetes
// 1.34 (OpenShift 4.21) it may have 20 bits of addresses (cmd/kube-apiserver, app/options/validation.go).
func (p *Plan) checkServiceCIDR() error {
	const maxBits = 20
	version, known := hostedcluster.ParseVersion(p.Inputs.ReleaseVersion)
	if !known || !version.Before(hostedcluster.Version{Major: 4, Minor: 21}) {
		return nil
	}
	for _, n := range p.Options.ServiceCIDR {
		if largest := n.Addr().BitLen() - maxBits; n.Bits() < largest {
			return options.Errorf("serviceCIDR", n.String(), "too large: API servers before OpenShift 4.21 take a /%d at most, "+
				"and the release is %s", largest, version)
		}
	}
	return nil
}

// checkIdentity rejects --identity oidc for a release whose API servers cannot validate the tokens of a provider:
// HyperShift enables the feature gate ExternalOIDC from OpenShift 4.16 on (openshift/api, features/features.go). It
// accepts a release whose version is not known.
func (p *Plan) checkIdentity() error {
	i := p.Options.TenantServices.Identity
	version, known := hostedcluster.ParseVersion(p.Inputs.ReleaseVersion)
	first := hostedcluster.Version{Major: 4, Minor: 16}
	if i == nil || i.Type != options.IdentityOIDC || !known || !version.Before(first) {
		return nil
	}
	return options.Errorf("services.identity.type", i.Type,
		"needs OpenShift 4.16 or newer, and the release is %s: use oauth, or another release", p.Inputs.ReleaseVersion)
}

// resolveInfraID resolves the InfraID.
func (p *Plan) resolveInfraID(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) error {
	if hc != nil && hc.Spec.InfraID != "" {
		p.Inputs.InfraID = hc.Spec.InfraID
		return nil
	}
	p.Inputs.InfraID = cmp.Or(p.Options.InfraID, newInfraID(p.Options.Name))
	if p.unchecked {
		return nil
	}
	var key, pull *corev1.Secret
	read := func(into **corev1.Secret, name string) func() error {
		return func() (err error) { *into, err = p.secret(ctx, r, p.Options.Namespace, name); return err }
	}
	if err := kube.Together(read(&key, hostedcluster.EncryptionKeyName(p.Options.Name)),
		read(&pull, hostedcluster.PullSecretName(p.Options.Name))); err != nil {
		return err
	}
	for _, secret := range []*corev1.Secret{key, pull} {
		if secret != nil && p.takeInfraID(secret) {
			return nil
		}
	}
	return nil
}

// takeInfraID takes the InfraID from a Secret of an earlier, unfinished create, and reports whether it did.
func (p *Plan) takeInfraID(secret *corev1.Secret) bool {
	m := hostedcluster.MarkOf(secret)
	if p.exists || p.Options.InfraID != "" || m.Cluster != p.key().String() || m.InfraID == "" ||
		!hostedcluster.WrittenByHcctl(secret) {
		return false
	}
	p.Inputs.InfraID, p.continued = m.InfraID, true
	return true
}

// checkInfraID fails if another HostedCluster has the InfraID that the user gave or that an unfinished create left. A
// random InfraID is not checked.
func (p *Plan) checkInfraID(ctx context.Context, r kube.Reader) error {
	if p.exists || p.Options.InfraID == "" && !p.continued {
		return nil
	}
	all, _, err := hostedcluster.ListIdentities(ctx, r, p.Options.Namespace)
	if err != nil {
		return err
	}
	own := hostedcluster.Identity{Namespace: p.Options.Namespace, Name: p.Options.Name, InfraID: p.Inputs.InfraID}
	other, field := own.FindDuplicate(all)
	switch {
	case field == "":
		return nil
	case p.Options.InfraID != "":
		return options.Errorf("infraID", p.Options.InfraID,
			"HostedCluster %s has it already; an infraID is of one cluster only", other.Key())
	}
	return fmt.Errorf(
		"the Secrets in namespace %s that are marked as those of %s have infraID %s, which is that of HostedCluster %s: "+
			"delete them, then create it", p.Options.Namespace, own.Key(), own.InfraID, other.Key())
}

// resolveNodeAddress finds the address for node ports if it is needed and not given. An existing HostedCluster keeps
// its address. Otherwise it is that of the first node by name, as in the vendor's CLI: the external name, then the
// external address, then the internal address.
func (p *Plan) resolveNodeAddress(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) error {
	if !p.Options.NeedsNodeAddress() {
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
	if err := r.List(ctx, nodes); err != nil {
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
	return options.Errorf("apiServerAddress", "", "needed here: no node of the management cluster has an address")
}

// readPullSecret reads the pull secret: the given one, else the cluster's existing one, else the management cluster's.
func (p *Plan) readPullSecret(ctx context.Context, r kube.Reader) error {
	if len(p.Options.PullSecret.Content) > 0 {
		p.Inputs.PullSecret = p.Options.PullSecret.Content
		return nil
	}
	// An existing Secret of a new cluster is not trusted before it is known to come from an earlier create.
	if p.exists || p.Options.AdoptExisting && !p.unchecked {
		own, err := p.secret(ctx, r, p.Options.Namespace, hostedcluster.PullSecretName(p.Options.Name))
		if err != nil {
			return err
		}
		if own != nil {
			p.Inputs.PullSecret = own.Data[corev1.DockerConfigJsonKey]
			return nil
		}
	}
	global, err := p.secret(ctx, r, "openshift-config", "pull-secret")
	if err != nil {
		return err
	}
	if global == nil || len(global.Data[corev1.DockerConfigJsonKey]) == 0 {
		return options.Errorf("pullSecret", "",
			"needed here: the management cluster has none of its own to take (Secret openshift-config/pull-secret, key %s)",
			corev1.DockerConfigJsonKey)
	}
	p.Inputs.PullSecret = global.Data[corev1.DockerConfigJsonKey]
	return nil
}

// secret reads a Secret. It returns nil if the Secret does not exist.
func (p *Plan) secret(ctx context.Context, r kube.Reader, namespace, name string) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s/%s: %w", namespace, name, err)
	}
	return s, nil
}
