package identity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// TestWhatOthersHaveSetStays takes hcctl's provider out of configurations that have more than it.
func TestWhatOthersHaveSetStays(t *testing.T) {
	client := configv1.SecretNameReference{Name: hostedcluster.IdentityClientName("kv-00")}
	oauth := configv1.OAuthSpec{IdentityProviders: []configv1.IdentityProvider{{Name: "dex",
		IdentityProviderConfig: configv1.IdentityProviderConfig{OpenID: &configv1.OpenIDIdentityProvider{ClientSecret: client}}}}}
	longer := oauth
	longer.TokenConfig.AccessTokenMaxAgeSeconds = 3600
	auth := configv1.AuthenticationSpec{Type: configv1.AuthenticationTypeOIDC, OIDCProviders: []configv1.OIDCProvider{{
		OIDCClients: []configv1.OIDCClientConfig{{ClientSecret: client}}}}}
	issued := auth
	issued.ServiceAccountIssuer = "https://issuer.example.com"
	for name, tc := range map[string]struct {
		configuration hyperv1.ClusterConfiguration
		want          map[string]any
	}{
		"an OAuth server alone": {hyperv1.ClusterConfiguration{OAuth: &oauth}, map[string]any{"oauth": nil}},
		"with the time of tokens": {hyperv1.ClusterConfiguration{OAuth: &longer},
			map[string]any{"oauth": map[string]any{"identityProviders": nil}}},
		"direct OIDC alone": {hyperv1.ClusterConfiguration{Authentication: &auth}, map[string]any{"authentication": nil}},
		"with an issuer of service accounts": {hyperv1.ClusterConfiguration{Authentication: &issued},
			map[string]any{"authentication": map[string]any{"type": nil, "oidcProviders": nil}}},
	} {
		hc := &hyperv1.HostedCluster{}
		hc.Name, hc.Spec.Configuration = "kv-00", &tc.configuration
		got, err := removed(hc)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
