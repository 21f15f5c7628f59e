package controlplane

import (
	"context"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// issuerCAKey is the key of a ConfigMap with the authorities of an issuer (control-plane-operator, v2/kas/auth.go).
const issuerCAKey = "ca-bundle.crt"

// setAuthentication has the guest's API server accept the tokens of the providers in spec.configuration, as the
// control-plane-operator writes them into its --authentication-config (v2/kas/auth.go). The operator has copied the
// ConfigMap beside the HostedCluster; here it is read there.
func (r *controlPlanes) setAuthentication(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	c := hcp.Spec.Configuration
	if c == nil || c.Authentication == nil || c.Authentication.Type != configv1.AuthenticationTypeOIDC {
		return r.Guests.SetAuthentication(hcp.Namespace, nil)
	}
	var providers []any
	for _, p := range c.Authentication.OIDCProviders {
		audiences := []string{}
		for _, a := range p.Issuer.Audiences {
			audiences = append(audiences, string(a))
		}
		issuer := map[string]any{"url": p.Issuer.URL, "audiences": audiences, "audienceMatchPolicy": "MatchAny"}
		if name := p.Issuer.CertificateAuthority.Name; name != "" {
			namespace, _, _ := strings.Cut(hcp.Annotations[metadata.ClusterAnnotation], "/")
			ca := &corev1.ConfigMap{}
			if err := r.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, ca); err != nil {
				return client.IgnoreNotFound(fmt.Errorf("issuer's authorities: %w", err))
			}
			issuer["certificateAuthority"] = ca.Data[issuerCAKey]
		}
		prefix := ""
		if p.ClaimMappings.Username.PrefixPolicy == configv1.Prefix && p.ClaimMappings.Username.Prefix != nil {
			prefix = p.ClaimMappings.Username.Prefix.PrefixString
		}
		providers = append(providers, map[string]any{"issuer": issuer, "claimMappings": map[string]any{
			"username": map[string]any{"claim": p.ClaimMappings.Username.Claim, "prefix": prefix},
			"groups":   map[string]any{"claim": p.ClaimMappings.Groups.Claim, "prefix": p.ClaimMappings.Groups.Prefix},
		}})
	}
	config, err := yaml.Marshal(map[string]any{"apiVersion": "apiserver.config.k8s.io/v1",
		"kind": "AuthenticationConfiguration", "jwt": providers})
	if err != nil {
		return fmt.Errorf("authentication of %s: %w", hcp.Namespace, err)
	}
	return r.Guests.SetAuthentication(hcp.Namespace, config)
}
