package options

import (
	"bytes"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/hcctl/hcctl/internal/pemfile"
	"github.com/hcctl/hcctl/pkg/hostedcluster/dex"
)

// Identity configures how users log in to a hosted cluster through an OpenID Connect provider: Dex, or an external one.
type Identity struct {
	// Type is oauth, for an identity provider of the hosted cluster's OAuth server, or oidc, if the hosted API server
	// itself verifies tokens.
	Type string `yaml:"type"`
	// UsernameClaim and GroupsClaim are the token claims with the user's name and groups.
	UsernameClaim string `yaml:"usernameClaim"`
	GroupsClaim   string `yaml:"groupsClaim"`
	// Groups maps each group to its ClusterRole in the hosted cluster.
	Groups map[string]string `yaml:"groups"`
}

// Dex is an OpenID Connect provider on the management cluster for one hosted cluster.
type Dex struct {
	// Config is the configuration file in Dex's own format. Empty means no Dex.
	Config File   `yaml:"config"`
	Image  string `yaml:"image"`
	// TLSSecret in the HostedCluster's namespace has Dex's certificate. If empty, hcctl creates one.
	TLSSecret string `yaml:"tlsSecret"`
	// Address of the Service. If empty, it is the address in the issuer, or any.
	Address string `yaml:"address"`
}

// OIDCProvider is an external OpenID Connect provider.
type OIDCProvider struct {
	// Issuer is the provider's URL. Empty means no provider.
	Issuer string `yaml:"issuer"`
	// ClientID is the client of the web console or the OAuth server. CLIClientID is the client of oc and kubectl.
	ClientID    string `yaml:"clientID"`
	CLIClientID string `yaml:"cliClientID"`
	// ClientSecret is a file with the client's secret. ClientSecretName names a Secret in the HostedCluster's namespace
	// that has it under the key clientSecret.
	ClientSecret     File   `yaml:"clientSecret"`
	ClientSecretName string `yaml:"clientSecretName"`
	// CA holds the certificate authorities of the provider. If empty, the system's authorities apply.
	CA File `yaml:"ca"`
	// ExtraScopes are requested in addition to openid, such as a scope that adds the groups.
	ExtraScopes List `yaml:"extraScopes"`
}

// The types of Identity.
const (
	IdentityOAuth = "oauth"
	IdentityOIDC  = "oidc"
)

// ClientSecretKey is the key of a client's secret (config.openshift.io/v1, OpenIDIdentityProvider).
const ClientSecretKey = "clientSecret"

// ValidatedIdentity is a validated identity provider.
type ValidatedIdentity struct {
	// Type is IdentityOAuth or IdentityOIDC.
	Type string
	// Name of the provider in the HostedCluster, and its URL.
	Name, Issuer string
	// ConsoleClient and CLIClient are client IDs. CLIClient may be empty.
	ConsoleClient, CLIClient string
	// Secret of the console's client. It is nil for Dex, whose secret hcctl generates, and if SecretName is set.
	Secret     []byte
	SecretName string
	// CA holds the authorities of the provider; nil means the system's authorities, and for Dex.
	CA []byte
	// Scopes are requested in addition to openid.
	Scopes                     []string
	UsernameClaim, GroupsClaim string
	// Groups maps groups to ClusterRoles.
	Groups map[string]string
}

// ValidatedDex is a validated Dex.
type ValidatedDex struct {
	Config           dex.Config
	Image, TLSSecret string
	// Address is the zero value if any address will do.
	Address netip.Addr
}

// GroupName returns the name of a provider's group in the hosted cluster. If the API server itself verifies tokens, it
// has a prefix, so that no group of the provider can be one of Kubernetes' own.
func (i *ValidatedIdentity) GroupName(group string) string {
	if i.Type == IdentityOIDC {
		return IdentityPrefix + group
	}
	return group
}

// IdentityPrefix is the prefix of users and groups in tokens that the hosted API server itself verifies.
const IdentityPrefix = "oidc:"

func defaultIdentity() Identity {
	return Identity{Type: IdentityOAuth, UsernameClaim: "email", GroupsClaim: "groups"}
}

// defaultDex returns no Dex, with the default settings of one. The image is the newest release of Dex in
// contracts/dex.yaml.
func defaultDex() Dex { return Dex{Image: "ghcr.io/dexidp/dex:v2.45.1"} }

// identityFields lists the options of the identity provider.
func identityFields() []Field {
	const (
		provider  = "HostedCluster spec.configuration"
		withDex   = "--dex dex.yaml"
		withOIDC  = "--oidc-issuer https://login.example.com --oidc-client-id console --oidc-client-secret client-secret"
		dexIn     = "services.dex."
		oidcIn    = "services.oidc."
		identity  = "services.identity."
		clientKey = "Secret <name>-identity-client data.clientSecret"
	)
	fields := []Field{
		{Name: dexIn + "config", Flag: "dex", Writes: "Secret dex data", Example: "dex.yaml",
			Text: "file with Dex's configuration, for an OpenID Connect provider of this cluster alone; the issuer in " +
				"it is the URL by which people and the cluster reach it"},
		{Name: dexIn + "image", Flag: "dex-image", Check: imageReference("registry.example.com/tools/dex:2.45.1"),
			Writes: "Deployment dex spec.template.spec", Example: "registry.example/dex:v2.45.1", With: withDex,
			Text: "image with Dex"},
		{Name: dexIn + "tlsSecret", Flag: "dex-tls-secret", Check: secretName(), Writes: "Secret dex-tls data",
			Example: "dex-certificate", With: withDex,
			Text: "Secret beside the HostedCluster with Dex's certificate (tls.crt, tls.key, and ca.crt unless " +
				"everybody trusts it); by default hcctl makes one and renews it"},
		{Name: dexIn + "address", Flag: "dex-address", Writes: "Service dex spec.loadBalancerIP",
			Example: "192.168.216.41", With: withDex,
			Text: "IP address of Dex; by default the one in the issuer, or any that the load balancer gives"},
		{Name: oidcIn + "issuer", Flag: "oidc-issuer", Writes: provider, Example: "https://login.example.com",
			With: "--oidc-client-id console --oidc-client-secret client-secret",
			Text: "URL of an OpenID Connect provider that runs elsewhere, instead of Dex"},
		{Name: oidcIn + "clientID", Flag: "oidc-client-id", Writes: provider, Example: "console",
			With: "--oidc-issuer https://login.example.com --oidc-client-secret client-secret",
			Text: "client of the web console or the OAuth server at that provider"},
		{Name: oidcIn + "cliClientID", Flag: "oidc-cli-client-id", Writes: provider, Example: "cli",
			With: withOIDC + " --identity oidc",
			Text: "public client of oc and kubectl at that provider, with --identity oidc"},
		{Name: oidcIn + "clientSecret", Flag: "oidc-client-secret", Writes: clientKey, Example: "client-secret",
			With: "--oidc-issuer https://login.example.com --oidc-client-id console",
			Text: "file with the secret of --oidc-client-id"},
		{Name: oidcIn + "clientSecretName", Flag: "oidc-client-secret-name", Check: secretName(), Writes: provider,
			Example: "oidc-client", With: "--oidc-issuer https://login.example.com --oidc-client-id console",
			Text: "Secret beside the HostedCluster that has it as clientSecret, instead of a file"},
		{Name: oidcIn + "ca", Flag: "oidc-ca", Writes: "ConfigMap <name>-identity-ca data", Example: "ca.pem",
			With: withOIDC,
			Text: "file with the certificate authorities of the provider; by default those that everybody trusts"},
		{Name: oidcIn + "extraScopes", Flag: "oidc-extra-scopes", Writes: provider, Example: "groups", With: withOIDC,
			Text: "scopes to ask for beside openid, such as one that brings the groups"},
		{Name: identity + "type", Flag: "identity", Values: []string{IdentityOAuth, IdentityOIDC}, Writes: provider,
			Example: IdentityOIDC, With: withDex,
			Text: "how the cluster uses the provider: oauth logs in through the cluster's own OAuth server, oidc has " +
				"the API server check the provider's tokens (OpenShift 4.16 and later) and the cluster has no OAuth server"},
		{Name: identity + "usernameClaim", Flag: "identity-username-claim", Writes: provider,
			Example: "preferred_username", With: withDex, Text: "claim of a token that names the user"},
		{Name: identity + "groupsClaim", Flag: "identity-groups-claim", Writes: provider, Example: "roles",
			With: withDex, Text: "claim of a token that names the user's groups"},
		{Name: identity + "groups", Flag: "groups", Writes: "ClusterRoleBindings, in the hosted cluster",
			Example: "admins=cluster-admin", With: withDex,
			Text: "ClusterRoles that the provider's groups have in the hosted cluster, as GROUP=ROLE; one that is left " +
				"out is taken away again"},
	}
	return serviceRows(fields)
}

// setting is one option with its value; set reports whether the user gave it.
type setting struct {
	field, value string
	set          bool
}

// onlyWith refuses settings of a service that is not requested.
func onlyWith(flags string, settings ...setting) error {
	for _, s := range settings {
		if s.set {
			return Errorf(s.field, s.value, "only with %s", flags)
		}
	}
	return nil
}

func (o Cluster) parseIdentity(v *validated) error {
	d, p, i, defaults := o.Services.Dex, o.Services.OIDC, o.Services.Identity, defaultServices()
	const dexIn, oidcIn, within = "services.dex.", "services.oidc.", "services.identity."
	withoutDex := onlyWith("--dex: give Dex's configuration",
		setting{dexIn + "image", d.Image, d.Image != defaults.Dex.Image},
		setting{dexIn + "tlsSecret", d.TLSSecret, d.TLSSecret != ""}, setting{dexIn + "address", d.Address, d.Address != ""})
	withoutOIDC := onlyWith("--oidc-issuer: give the provider's URL",
		setting{oidcIn + "clientID", p.ClientID, p.ClientID != ""},
		setting{oidcIn + "cliClientID", p.CLIClientID, p.CLIClientID != ""},
		setting{oidcIn + "clientSecret", p.ClientSecret.Path, p.ClientSecret.Given()},
		setting{oidcIn + "clientSecretName", p.ClientSecretName, p.ClientSecretName != ""},
		setting{oidcIn + "ca", p.CA.Path, p.CA.Given()},
		setting{oidcIn + "extraScopes", "", len(p.ExtraScopes) > 0})
	if !d.Config.Given() && p.Issuer == "" {
		return errors.Join(withoutDex, withoutOIDC, onlyWith("--dex or --oidc-issuer: there is no provider",
			setting{within + "type", i.Type, i.Type != defaults.Identity.Type},
			setting{within + "usernameClaim", i.UsernameClaim, i.UsernameClaim != defaults.Identity.UsernameClaim},
			setting{within + "groupsClaim", i.GroupsClaim, i.GroupsClaim != defaults.Identity.GroupsClaim},
			setting{within + "groups", "", len(i.Groups) > 0}))
	}
	out := &ValidatedIdentity{Type: i.Type, UsernameClaim: i.UsernameClaim, GroupsClaim: i.GroupsClaim,
		Groups: maps.Clone(i.Groups)}
	errs := []error{validateGroups(within+"groups", i.Groups), o.checkOtherProvider(),
		checkClaim(within+"usernameClaim", i.UsernameClaim), checkClaim(within+"groupsClaim", i.GroupsClaim)}
	switch {
	case d.Config.Given() && p.Issuer != "":
		errs = append(errs, Errorf(oidcIn+"issuer", p.Issuer, "not together with --dex: give one of the two"))
	case d.Config.Given():
		errs = append(errs, withoutOIDC, o.parseDex(v, out))
	default:
		errs = append(errs, withoutDex, o.parseOIDCProvider(out))
	}
	v.TenantServices.Identity = out
	return errors.Join(errs...)
}

// checkOtherProvider refuses options that write the same fields of the HostedCluster.
func (o Cluster) checkOtherProvider() error {
	const detail = "not together with --dex or --oidc-issuer, which write it themselves"
	switch {
	case o.OIDC.Given():
		return Errorf("oidc", o.OIDC.Path, detail)
	case o.IdentityProviders.Given():
		return Errorf("identityProviders", o.IdentityProviders.Path, detail)
	}
	return nil
}

// notInToken reports a character that neither scopes nor client IDs may have (RFC 6749, 3.3 and A.1).
func notInToken(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }

func checkClaim(field, name string) error {
	const maxLength = 256
	if name == "" || len(name) > maxLength || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' }) {
		return Errorf(field, name, "not the name of a claim, such as email")
	}
	return nil
}

func validateGroups(field string, groups map[string]string) error {
	const maxGroups, maxLength = 200, 256
	if len(groups) > maxGroups {
		return Errorf(field, "", "has %d groups, at most %d are taken", len(groups), maxGroups)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		role := groups[group]
		switch {
		case group == "" || len(group) > maxLength:
			return Errorf(field, group, "a group has between 1 and %d characters", maxLength)
		case strings.HasPrefix(group, "system:"):
			return Errorf(field, group, "groups that begin with system: are Kubernetes' own")
		case role == "" || len(content.IsPathSegmentName(role)) > 0:
			return Errorf(field, group, "its role %q is not the name of a ClusterRole, such as edit", role)
		}
	}
	return nil
}

func (o Cluster) parseDex(v *validated, out *ValidatedIdentity) error {
	const within = "services.dex."
	d := o.Services.Dex
	to := &ValidatedDex{Image: d.Image, TLSSecret: d.TLSSecret}
	errs := []error{d.Config.validate(within+"config", into(&to.Config, dex.Parse))}
	if d.Image == "" {
		errs = append(errs, Errorf(within+"image", "", "is empty: give an image with Dex"))
	}
	if d.Address != "" {
		address, err := netip.ParseAddr(d.Address)
		if err != nil || address.Zone() != "" {
			errs = append(errs, Errorf(within+"address", d.Address, "not an IP address, such as 192.168.216.41"))
		}
		to.Address = address
	}
	if to.Config.Given() {
		out.Name, out.Issuer, out.ConsoleClient = "dex", to.Config.Issuer(), dex.ConsoleClient
		out.Scopes = []string{"email", "profile", "groups"}
		if out.Type == IdentityOIDC {
			out.CLIClient = dex.CLIClient
		}
		if in, err := netip.ParseAddr(to.Config.Host()); err == nil {
			if to.Address.IsValid() && to.Address != in {
				errs = append(errs, Errorf(within+"address", d.Address,
					"the issuer in Dex's configuration has another one, %s", in))
			}
			to.Address = in
		}
	}
	v.TenantServices.Dex = to
	return errors.Join(errs...)
}

func (o Cluster) parseOIDCProvider(out *ValidatedIdentity) error {
	const within = "services.oidc."
	p := o.Services.OIDC
	out.Name, out.Issuer, out.ConsoleClient, out.CLIClient = "oidc", p.Issuer, p.ClientID, p.CLIClientID
	out.SecretName, out.Scopes = p.ClientSecretName, append([]string{"email", "profile"}, p.ExtraScopes...)
	errs := []error{p.CA.validate(within+"ca", func(content []byte) error {
		out.CA = content
		return pemfile.CheckCertificates(content)
	}),
		p.ClientSecret.validate(within+"clientSecret", func(content []byte) error {
			out.Secret = bytes.TrimSpace(content)
			if len(out.Secret) == 0 || bytes.ContainsAny(out.Secret, "\r\n") {
				return errors.New("must hold the secret as its one line")
			}
			return nil
		})}
	if _, err := dex.ParseIssuer(p.Issuer); err != nil {
		errs = append(errs, Errorf(within+"issuer", p.Issuer, "%v", err))
	}
	if p.ClientID == "" {
		errs = append(errs, Errorf(within+"clientID", "", "is missing: the client that the provider knows the cluster by"))
	}
	for _, name := range []struct{ field, value, what string }{{"clientID", p.ClientID, "the ID of a client"},
		{"cliClientID", p.CLIClientID, "the ID of a client"}, {"extraScopes", strings.Join(p.ExtraScopes, ","), "a scope"}} {
		if strings.ContainsFunc(name.value, notInToken) {
			errs = append(errs, Errorf(within+name.field, name.value, "not %s: it has a space, a quote or what is not ASCII",
				name.what))
		}
	}
	if slices.Contains(p.ExtraScopes, "") {
		errs = append(errs, Errorf(within+"extraScopes", "", "has an empty scope"))
	}
	switch file := p.ClientSecret.Given(); {
	case file && p.ClientSecretName != "":
		errs = append(errs, Errorf(within+"clientSecretName", p.ClientSecretName,
			"not together with --oidc-client-secret: give one of the two"))
	case !file && p.ClientSecretName == "":
		errs = append(errs, Errorf(within+"clientSecret", "",
			"is missing: give a file with the client's secret, or a Secret with --oidc-client-secret-name"))
	}
	if p.CLIClientID != "" && out.Type != IdentityOIDC {
		errs = append(errs, Errorf(within+"cliClientID", p.CLIClientID,
			"only with --identity oidc: with oauth, command lines log in at the cluster's OAuth server"))
	}
	return errors.Join(errs...)
}
