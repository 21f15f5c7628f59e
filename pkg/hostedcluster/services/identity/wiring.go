package identity

import (
	"fmt"
	"reflect"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// The components of OpenShift that log in at a provider, as an Authentication names them in spec.oidcProviders
// (HyperShift, test/e2e/util/external_oidc.go).
const (
	consoleNamespace = "openshift-console"
	consoleComponent = "console"
	cliComponent     = "cli"
)

// names are the names of the companions. ca is empty without certificate authorities.
type names struct{ secret, ca string }

// configuration returns the HostedCluster's use of its provider, as a merge patch of spec.configuration. It keeps the
// identity providers of others, and returns an error if it cannot.
func configuration(i *options.ValidatedIdentity, hc *hyperv1.HostedCluster, n names) (map[string]any, error) {
	auth, oauth := existing(hc)
	if i.Type == options.IdentityOIDC {
		if others := without(oauth, i.Name); len(others) > 0 {
			return nil, fmt.Errorf("its OAuth server has other identity providers (%s), and would go with %s oidc",
				others[0].Name, hint.Flag("identity"))
		}
		if auth != nil && len(auth.OIDCProviders) > 0 && auth.OIDCProviders[0].Name != i.Name {
			return nil, fmt.Errorf("it has another OpenID Connect provider (%s), and can have one only",
				auth.OIDCProviders[0].Name)
		}
		out := map[string]any{"authentication": map[string]any{
			"type": string(configv1.AuthenticationTypeOIDC), "oidcProviders": []any{oidcProvider(i, n)}}}
		if len(oauth) > 0 {
			out["oauth"] = noProviders(hc.Spec.Configuration.OAuth)
		}
		return out, nil
	}
	if auth != nil && auth.Type == configv1.AuthenticationTypeOIDC &&
		(len(auth.OIDCProviders) != 1 || auth.OIDCProviders[0].Name != i.Name) {
		return nil, fmt.Errorf("it has no OAuth server: its API server checks the tokens of another provider itself")
	}
	providers := []any{}
	for _, other := range without(oauth, i.Name) {
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&other)
		if err != nil {
			return nil, err
		}
		providers = append(providers, m)
	}
	out := map[string]any{"oauth": map[string]any{"identityProviders": append(providers, identityProvider(i, n))}}
	if auth != nil && auth.Type == configv1.AuthenticationTypeOIDC {
		out["authentication"] = noOIDC(auth)
	}
	return out, nil
}

// noProviders is the patch that removes all identity providers from an OAuth server's configuration. Its other
// settings, such as the lifetime of tokens, stay.
func noProviders(oauth *configv1.OAuthSpec) any {
	rest := *oauth
	rest.IdentityProviders = nil
	if reflect.DeepEqual(rest, configv1.OAuthSpec{}) {
		return nil
	}
	return map[string]any{"identityProviders": nil}
}

// noOIDC is the patch that restores the OAuth server. Other settings, such as the issuer of service accounts, stay.
func noOIDC(auth *configv1.AuthenticationSpec) any {
	rest := *auth
	rest.Type, rest.OIDCProviders = "", nil
	if reflect.DeepEqual(rest, configv1.AuthenticationSpec{}) {
		return nil
	}
	return map[string]any{"type": nil, "oidcProviders": nil}
}

// existing returns the authentication and the identity providers in a HostedCluster.
func existing(hc *hyperv1.HostedCluster) (*configv1.AuthenticationSpec, []configv1.IdentityProvider) {
	c := hc.Spec.Configuration
	if c == nil {
		return nil, nil
	}
	if c.OAuth == nil {
		return c.Authentication, nil
	}
	return c.Authentication, c.OAuth.IdentityProviders
}

func without(all []configv1.IdentityProvider, name string) []configv1.IdentityProvider {
	return slices.DeleteFunc(slices.Clone(all), func(p configv1.IdentityProvider) bool { return p.Name == name })
}

// oidcProvider returns the provider in the form for the API server of the hosted cluster.
func oidcProvider(i *options.ValidatedIdentity, n names) map[string]any {
	console := map[string]any{"componentNamespace": consoleNamespace, "componentName": consoleComponent,
		"clientID": i.ConsoleClient, "clientSecret": map[string]any{"name": n.secret}, "extraScopes": toAny(i.Scopes)}
	clients, audiences := []any{console}, []any{i.ConsoleClient}
	if i.CLIClient != "" && i.CLIClient != i.ConsoleClient {
		clients = append(clients, map[string]any{"componentNamespace": consoleNamespace, "componentName": cliComponent,
			"clientID": i.CLIClient, "extraScopes": toAny(i.Scopes)})
		audiences = append(audiences, i.CLIClient)
	}
	issuer := map[string]any{"issuerURL": i.Issuer, "audiences": audiences}
	if n.ca != "" {
		issuer["issuerCertificateAuthority"] = map[string]any{"name": n.ca}
	}
	return map[string]any{
		"name": i.Name, "issuer": issuer, "oidcClients": clients,
		"claimMappings": map[string]any{
			"username": map[string]any{"claim": i.UsernameClaim, "prefixPolicy": string(configv1.Prefix),
				"prefix": map[string]any{"prefixString": options.IdentityPrefix}},
			"groups": map[string]any{"claim": i.GroupsClaim, "prefix": options.IdentityPrefix},
		},
	}
}

// identityProvider returns the provider in the form for the OAuth server of the hosted cluster.
func identityProvider(i *options.ValidatedIdentity, n names) map[string]any {
	openID := map[string]any{"clientID": i.ConsoleClient, "clientSecret": map[string]any{"name": n.secret},
		"issuer": i.Issuer, "extraScopes": toAny(i.Scopes),
		"claims": map[string]any{"preferredUsername": []any{i.UsernameClaim}, "name": []any{"name"},
			"email": []any{"email"}, "groups": []any{i.GroupsClaim}}}
	if n.ca != "" {
		openID["ca"] = map[string]any{"name": n.ca}
	}
	return map[string]any{"name": i.Name, "mappingMethod": "claim",
		"type": string(configv1.IdentityProviderTypeOpenID), "openID": openID}
}

func toAny(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// wired reports whether the HostedCluster has the wanted configuration.
func wired(hc *hyperv1.HostedCluster, want map[string]any) bool {
	have := map[string]any{}
	if hc.Spec.Configuration != nil {
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc.Spec.Configuration)
		if err != nil {
			return false
		}
		have = m
	}
	return includes(have, want)
}

// includes reports whether a value has all that is wanted. Fields that an API server has defaulted are ignored. If want
// is nil, have must be nil.
func includes(have, want any) bool {
	switch want := want.(type) {
	case nil:
		return have == nil
	case map[string]any:
		fields, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for key, value := range want {
			if !includes(fields[key], value) {
				return false
			}
		}
		return true
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !includes(list[i], want[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(have, want)
}

// removed returns the merge patch that removes hcctl's providers from spec.configuration: those that use a companion.
// It returns nil if there are none.
func removed(hc *hyperv1.HostedCluster) (map[string]any, error) {
	auth, oauth := existing(hc)
	client := hostedcluster.IdentityClientName(hc.Name)
	out := map[string]any{}
	if auth != nil && len(auth.OIDCProviders) == 1 && slices.ContainsFunc(auth.OIDCProviders[0].OIDCClients,
		func(c configv1.OIDCClientConfig) bool { return c.ClientSecret.Name == client }) {
		out["authentication"] = noOIDC(auth)
	}
	left := []any{}
	for _, p := range oauth {
		if p.OpenID != nil && p.OpenID.ClientSecret.Name == client {
			out["oauth"] = noProviders(hc.Spec.Configuration.OAuth)
			continue
		}
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&p)
		if err != nil {
			return nil, err
		}
		left = append(left, m)
	}
	if _, owned := out["oauth"]; owned && len(left) > 0 {
		out["oauth"] = map[string]any{"identityProviders": left}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}
