package options_test

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

const smallDex = "issuer: https://192.0.2.7\nstorage: {type: memory}\nenablePasswordDB: true\n"

// TestIdentityIsRefused: each is one error that names the field, and none has a secret.
func TestIdentityIsRefused(t *testing.T) {
	dex := func(s *options.Services) { s.Dex.Config = options.File{Path: "dex.yaml", Content: []byte(smallDex)} }
	elsewhere := func(s *options.Services) {
		s.OIDC.Issuer, s.OIDC.ClientID = "https://login.example.com", "kv"
		s.OIDC.ClientSecret = options.File{Path: "secret", Content: []byte("hunter2\n")}
	}
	for name, tc := range map[string]struct {
		base   func(*options.Services)
		change func(*options.Services)
		want   string
	}{
		"Dex":       {dex, func(*options.Services) {}, ""},
		"elsewhere": {elsewhere, func(*options.Services) {}, ""},
		"Dex's file": {dex, func(s *options.Services) { s.Dex.Config.Content = []byte(smallDex + "connectors: 3\n") },
			`services.dex.config "dex.yaml": line 4: connectors: must be a list`},
		"image": {dex, func(s *options.Services) { s.Dex.Image = "" }, "services.dex.image: is empty"},
		"image without Dex": {elsewhere, func(s *options.Services) { s.Dex.Image = "registry.example/dex:1" },
			"services.dex.image \"registry.example/dex:1\": only with --dex"},
		"both": {dex, elsewhere, `services.oidc.issuer "https://login.example.com": not together with --dex`},
		"another address": {dex, func(s *options.Services) { s.Dex.Address = "192.0.2.8" },
			`services.dex.address "192.0.2.8": the issuer in Dex's configuration has another one, 192.0.2.7`},
		"an address of others": {dex, func(s *options.Services) {
			s.JumpHost.Image, s.JumpHost.AuthorizedKeysSecret, s.JumpHost.Address = "registry.example/ssh:9", "keys", "192.0.2.7"
		}, `services.dex.address "192.0.2.7": is that of the jump host, too: each needs its own`},
		"no address": {dex, func(s *options.Services) { s.Dex.Address = "dex" }, "services.dex.address \"dex\": not an IP"},
		"no Secret":  {dex, func(s *options.Services) { s.Dex.TLSSecret = "A b" }, "services.dex.tlsSecret"},
		"type":       {dex, func(s *options.Services) { s.Identity.Type = "saml" }, `services.identity.type "saml": must be one of`},
		"no provider": {func(*options.Services) {}, func(s *options.Services) { s.Identity.Type = "oidc" },
			"services.identity.type \"oidc\": only with --dex or --oidc-issuer"},
		"groups without": {func(*options.Services) {}, func(s *options.Services) {
			s.Identity.Groups = map[string]string{"a": "view"}
		}, "services.identity.groups: only with --dex or --oidc-issuer"},
		"Kubernetes' group": {dex, func(s *options.Services) {
			s.Identity.Groups = map[string]string{"system:masters": "view"}
		}, `services.identity.groups "system:masters": groups that begin with system:`},
		"no role": {dex, func(s *options.Services) { s.Identity.Groups = map[string]string{"a": "x/y"} },
			`services.identity.groups "a": its role "x/y" is not the name of a ClusterRole`},
		"claim": {dex, func(s *options.Services) { s.Identity.UsernameClaim = "a b" }, "services.identity.usernameClaim"},
		"issuer": {elsewhere, func(s *options.Services) { s.OIDC.Issuer = "http://login.example.com" },
			`services.oidc.issuer "http://login.example.com": must begin with https://`},
		"no client": {elsewhere, func(s *options.Services) { s.OIDC.ClientID = "" }, "services.oidc.clientID: is missing"},
		"no secret": {elsewhere, func(s *options.Services) { s.OIDC.ClientSecret = options.File{} },
			"services.oidc.clientSecret: is missing"},
		"two secrets": {elsewhere, func(s *options.Services) { s.OIDC.ClientSecretName = "a" },
			`services.oidc.clientSecretName "a": not together with --oidc-client-secret`},
		"secret of two lines": {elsewhere, func(s *options.Services) { s.OIDC.ClientSecret.Content = []byte("hunter2\nx") },
			`services.oidc.clientSecret "secret": must hold the secret as its one line`},
		"CLI's client": {elsewhere, func(s *options.Services) { s.OIDC.CLIClientID = "cli" },
			`services.oidc.cliClientID "cli": only with --identity oidc`},
		"client's ID": {elsewhere, func(s *options.Services) { s.OIDC.ClientID = "a b" },
			`services.oidc.clientID "a b": not the ID of a client`},
		"scope": {elsewhere, func(s *options.Services) { s.OIDC.ExtraScopes = options.List{"groups", "a\"b"} },
			`services.oidc.extraScopes "groups,a\"b": not a scope`},
		"empty scope": {elsewhere, func(s *options.Services) { s.OIDC.ExtraScopes = options.List{""} },
			"services.oidc.extraScopes: has an empty scope"},
		"CA": {elsewhere, func(s *options.Services) { s.OIDC.CA = options.File{Path: "ca", Content: []byte("x")} },
			`services.oidc.ca "ca"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := optionstest.Named(func(o *options.Cluster) {
				tc.base(&o.Services)
				tc.change(&o.Services)
			})
			_, err := o.Validate()
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
	o := optionstest.Named(func(o *options.Cluster) {
		dex(&o.Services)
		o.IdentityProviders = options.File{Path: "p.yaml", Content: []byte("[{name: a}]")}
	})
	if _, err := o.Validate(); err == nil || !strings.Contains(err.Error(), `identityProviders "p.yaml": not together with`) {
		t.Errorf("got %v", err)
	}
}

// A service has an address of the cluster's own, where it has any.
func TestAddressesOfServices(t *testing.T) {
	o := optionstest.Named(func(o *options.Cluster) {
		o.Services.Dex.Config = options.File{Path: "dex.yaml", Content: []byte(smallDex)}
		o.Services.JumpHost.Image, o.Services.JumpHost.AuthorizedKeysSecret = "registry.example/ssh:9", "keys"
		o.Services.JumpHost.Address = "192.0.2.9"
	})
	for addresses, want := range map[string]string{
		"192.0.2.0/28":            "",
		"192.0.2.7-192.0.2.9":     "",
		"":                        "",
		"192.0.2.8-192.0.2.9":     `services.dex.address "192.0.2.7": is not among the cluster's own addresses, --metallb-addresses 192.0.2.8-192.0.2.9`,
		"2001:db8::/64":           `services.jumpHost.address "192.0.2.9": is not among the cluster's own addresses`,
		"192.0.2.7/32,192.0.2.10": "metallbAddresses",
	} {
		o.MetalLBAddresses = nil
		if addresses != "" {
			o.MetalLBAddresses = strings.Split(addresses, ",")
		}
		_, err := o.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", addresses, err, want)
		}
	}
}
